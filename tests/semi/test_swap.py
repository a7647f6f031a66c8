"""Swapped flares: the light that was found lies over a clean scene, a known one over the photo."""

import pytest
import torch
from pydantic import ValidationError
from torch import Tensor

from semilar.data.augmentation import ColourChange, Window
from semilar.data.unlabeled import UnlabeledSample
from semilar.semi.settings import Semi
from semilar.semi.swap import FlareSwap
from semilar.semi.unsupervised import UnsupervisedLoss

SAME = ColourChange(0, 0, 0, 0, middle=0.5, grey=False)


def plain(level: float, count: int = 1) -> Tensor:
    return torch.full((count, 3, 2, 2), level)


def light(level: float) -> float:
    return level**2.2


def test_a_found_flare_lies_over_the_clean_scene_and_a_known_one_over_the_photo() -> None:
    swap = FlareSwap(weight=1.0, gain=(2.0, 2.0))
    pictures, scenes = swap(plain(0.5), plain(0.3), plain(0.6), plain(0.4), [7])
    found, known = light(0.5) - light(0.3), light(0.6) - light(0.4)
    torch.testing.assert_close(scenes, torch.cat([plain(0.4), plain(0.3)]))
    made = [(light(0.4) + 2 * found) ** (1 / 2.2), (light(0.5) + known) ** (1 / 2.2)]
    torch.testing.assert_close(pictures, torch.cat([plain(level) for level in made]))


def test_lamps_go_along_with_their_flare() -> None:
    label, photo = plain(0.2), plain(0.3)
    label[..., 0, 0] = photo[..., 0, 0] = 0.95
    pictures, scenes = FlareSwap(weight=1.0)(photo, label, plain(0.4), plain(0.4), [7])
    assert (scenes[0, :, 0, 0] == 0.95).all()
    torch.testing.assert_close(pictures[0, :, 0, 0], torch.full((3,), 0.95))
    assert (scenes[0, :, 1, 1] == 0.4).all()


def test_seeds_draw_partners_and_gains() -> None:
    swap = FlareSwap(weight=1.0, gain=(1.0, 3.0))
    clean = torch.cat([plain(0.1), plain(0.2)])
    seeds = [2, 3, 4, 5]
    pictures, scenes = swap(plain(0.5, 4), plain(0.3, 4), clean, clean, seeds)
    levels = scenes[:4, 0, 0, 0]
    torch.testing.assert_close(levels, torch.tensor([0.1, 0.2, 0.1, 0.2]))
    added = pictures[:4, 0, 0, 0] ** 2.2 - levels**2.2
    gains = added / (light(0.5) - light(0.3))
    assert ((gains >= 0.999) & (gains <= 3.001)).all()
    assert len({round(float(gain), 3) for gain in gains}) == 4


def test_a_gain_is_a_range() -> None:
    with pytest.raises(ValidationError, match="smaller"):
        FlareSwap(gain=(2.0, 1.0))


def test_the_loss_of_swapped_flares() -> None:
    """A network that leaves pictures alone pays for all the light that was laid over them."""
    whole = Window.whole(2, 2)
    samples = [UnlabeledSample(0, "a", plain(0.5)[0], whole, plain(0.5)[0], SAME)]
    semi = Semi(
        pixel=0.0,
        contrastive=Semi().contrastive.model_copy(update={"weight": 0.0}),
        swap=FlareSwap(weight=0.5, gain=(1.0, 1.0)),
    )
    shown: list[Tensor] = []

    def idle(pictures: Tensor) -> tuple[Tensor, Tensor]:
        shown.append(pictures)
        return pictures, pictures

    terms = UnsupervisedLoss(semi=semi, features=None)(
        idle,
        samples,
        plain(0.3),
        torch.tensor([True]),
        (plain(0.6), plain(0.4)),
        epoch=20.0,
        seeds=[7],
    )
    over_clean = (light(0.4) + light(0.5) - light(0.3)) ** (1 / 2.2) - 0.4
    over_photo = (light(0.5) + light(0.6) - light(0.4)) ** (1 / 2.2) - 0.3
    assert list(terms) == ["swap"]
    assert float(terms["swap"]) == pytest.approx(0.5 * (over_clean + over_photo))
    assert len(shown) == 1
