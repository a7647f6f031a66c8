"""Windows are mapped to the frame and back; strong augmentation is switched off by parts."""

import colorsys

import numpy as np
import pytest
import torch
from scipy import ndimage

from semilar.data.augmentation import StrongAugmentation, Window, gaussian_blur, hue_rotation, luma

OFF = StrongAugmentation(jitter=0.0, grey=0.0, blur=0.0, noise=0.0)


def picture(seed: int = 0, size: tuple[int, int] = (20, 26)) -> torch.Tensor:
    return torch.rand(3, *size, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("seed", range(20))
def test_put_is_the_inverse_of_take(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = picture(seed)
    window = Window.random(20, 26, crop=11, flip=True, rng=rng)
    torch.testing.assert_close(window.put(window.take(frame), frame), frame)
    changed = window.put(window.take(frame) + 1, frame)
    assert int((changed != frame).sum()) == 3 * 11 * 11
    torch.testing.assert_close(window.take(changed), window.take(frame) + 1)


def test_flips_happen_in_half_of_the_windows_and_crops_reach_every_corner() -> None:
    rng = np.random.default_rng(0)
    windows = [Window.random(20, 26, crop=11, flip=True, rng=rng) for _ in range(600)]
    assert 0.4 < np.mean([window.flip for window in windows]) < 0.6
    assert {window.top for window in windows} == set(range(10))
    assert {window.left for window in windows} == set(range(16))
    assert not any(Window.random(20, 26, crop=11, flip=False, rng=rng).flip for _ in range(50))


def test_all_off_is_the_weakly_augmented_photo() -> None:
    strong, colour = OFF(picture(), np.random.default_rng(0))
    torch.testing.assert_close(strong, picture())
    torch.testing.assert_close(colour(picture(1)), picture(1))


@pytest.mark.parametrize("part", ["jitter", "grey", "blur", "noise"])
def test_each_part_changes_the_picture_alone(part: str) -> None:
    strong = OFF.model_copy(update={part: 1.0 if part != "noise" else 0.05})
    changed, colour = strong(picture(), np.random.default_rng(1))
    assert (changed - picture()).abs().max() > 0.01
    assert changed.min() >= 0
    assert changed.max() <= 1
    touched = (colour(picture()) - picture()).abs().max() > 1e-6
    assert bool(touched) == (part in ("jitter", "grey")), "the target only follows colours"
    if part == "grey":
        torch.testing.assert_close(changed[0], changed[2])


def test_switching_one_part_off_leaves_the_others() -> None:
    with_noise, _ = StrongAugmentation(blur=0.0, noise=0.0)(picture(), np.random.default_rng(5))
    _, colour = StrongAugmentation(blur=1.0)(picture(), np.random.default_rng(5))
    torch.testing.assert_close(with_noise, colour(picture()).clamp(0, 1))


def test_blur_is_scipys_gaussian() -> None:
    x = picture()
    blurred = gaussian_blur(x, 0.7, radius=2)
    wanted = [ndimage.gaussian_filter(c, 0.7, mode="mirror", radius=2) for c in x.numpy()]
    np.testing.assert_allclose(blurred.numpy(), np.stack(wanted), atol=1e-6)


def test_a_third_of_a_turn_swaps_the_channels() -> None:
    """Turning hue by 120 degrees moves red to green or blue, and keeps greys."""
    turn = hue_rotation(1 / 3)
    moved = turn @ torch.tensor([1.0, 0.0, 0.0])
    assert sorted(moved.tolist()) == pytest.approx([0, 0, 1], abs=1e-6)
    wanted = colorsys.hsv_to_rgb(1 / 3, 1, 1)
    assert moved.tolist() == pytest.approx(wanted, abs=1e-6)
    grey = torch.full((3,), 0.4)
    torch.testing.assert_close(hue_rotation(0.02) @ grey, grey)


def test_luma_weights_sum_to_one() -> None:
    assert float(luma(torch.full((3, 1, 1), 0.3))) == pytest.approx(0.3)
