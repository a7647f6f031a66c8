"""The measurements flare-score is built on, against plain NumPy and SciPy."""

import math

import numpy as np
import pytest
import torch
from scipy import ndimage
from tools.restorations import gaussian

from semilar.flare.backgrounds import SCENES, builtin_backgrounds
from semilar.quality.scorers.cues import Cues, line_detectors, sharpness
from semilar.quality.scorers.flare_score import SHARP_ENOUGH

# Where cues stand: light comes first, then four scales, lines after the second and the third.
BRIGHTNESS, EMPTY, DARKEST, BRIGHTEST, CONTRAST = 0, 9, 11, 12, 13 + 2
BRIGHT_LINES, DARK_LINES, FINEST, FINEST_PEAK = 13 + 8, 13 + 9, 41, 42


def measure(picture: np.ndarray) -> np.ndarray:
    """(H, W, 3) -> (count, H/8, W/8)."""
    x = torch.from_numpy(picture.astype(np.float32).transpose(2, 0, 1))[None]
    return Cues()(x)[0].numpy()


def in_cells(pixels: np.ndarray) -> np.ndarray:
    """(H, W) -> (H/8, W/8, 64)."""
    rows, columns = (side // 8 for side in pixels.shape)
    return pixels.reshape(rows, 8, columns, 8).swapaxes(1, 2).reshape(rows, columns, 64)


@pytest.mark.parametrize("shape", [(32, 32), (64, 96)])
def test_every_cell_has_all_cues_and_they_are_finite(shape: tuple[int, int]):
    picture = np.random.default_rng(0).random((*shape, 3))
    found = measure(picture)
    assert found.shape == (Cues.count, shape[0] // 8, shape[1] // 8)
    assert np.isfinite(found).all()
    assert np.isfinite(measure(np.zeros((*shape, 3)))).all()


def test_brightness_and_its_extremes_are_numpys():
    picture = np.random.default_rng(1).random((64, 96, 3))
    found, grey = measure(picture), in_cells(picture.mean(2))
    np.testing.assert_allclose(found[BRIGHTNESS], grey.mean(2), atol=1e-5)
    np.testing.assert_allclose(found[DARKEST], grey.min(2), atol=1e-5)
    np.testing.assert_allclose(found[BRIGHTEST], grey.max(2), atol=1e-5)


def test_contrast_at_the_finest_scale_is_scipys():
    picture = np.random.default_rng(2).random((32, 64, 3))
    grey = picture.mean(2)
    detail = grey - ndimage.uniform_filter(grey, 3, mode="nearest")
    contrast = 0.5 * np.log(in_cells(detail**2).mean(2) + 1e-6)
    np.testing.assert_allclose(measure(picture)[CONTRAST], contrast, atol=1e-4)
    finest = in_cells(abs(detail - ndimage.uniform_filter(detail, 3, mode="nearest")))
    np.testing.assert_allclose(measure(picture)[FINEST], np.log(finest.mean(2) + 1e-3), atol=1e-4)
    np.testing.assert_allclose(
        measure(picture)[FINEST_PEAK], np.log(finest.max(2) + 1e-3), atol=1e-4
    )


def test_a_slight_blur_takes_the_finest_detail_first():
    photo = builtin_backgrounds()[SCENES][:256, :256] / 255
    blurred = gaussian(torch.from_numpy(photo.transpose(2, 0, 1))[None], 0.6)[0].numpy()
    lost = (measure(photo) - measure(blurred.transpose(1, 2, 0))).mean((1, 2))
    assert lost[FINEST_PEAK] > lost[FINEST] > lost[CONTRAST] > 0


def test_a_channel_that_was_subtracted_away_is_seen_where_black_is_not():
    picture = np.full((32, 64, 3), 0.3)
    picture[:, :32, 2] = 0
    empty = measure(picture)[EMPTY]
    assert (empty[:, :4] > 0.9).all()
    assert (empty[:, 4:] < 0.01).all()


def test_line_detectors_answer_their_own_direction_and_no_flat_area():
    kernels = line_detectors()[:, 0].numpy()
    np.testing.assert_allclose(kernels.sum((1, 2)), 0, atol=1e-6)
    y, x = np.mgrid[-5:6, -5:6]
    for index in range(8):
        angle = math.pi * index / 8
        line = np.exp(-((y * math.cos(angle) - x * math.sin(angle)) ** 2))
        answers = (kernels * line).sum((1, 2))
        assert answers.argmax() == index
        assert answers[index] > 0


def test_a_streak_raises_the_bright_line_cue_and_a_scratch_the_dark_one():
    flat = np.full((64, 64, 3), 0.4)
    streak, scratch = flat.copy(), flat.copy()
    streak[30:33], scratch[30:33] = 0.8, 0.1
    bright, dark = BRIGHT_LINES, DARK_LINES
    plain, with_streak, with_scratch = (measure(p)[:, 3, 4] for p in (flat, streak, scratch))
    assert with_streak[bright] > plain[bright] + 1
    assert with_scratch[dark] > plain[dark] + 1
    assert with_streak[bright] - with_streak[dark] > with_scratch[bright] - with_scratch[dark]


def test_blur_lowers_sharpness_and_nothing_else_does_as_much():
    for pixels in builtin_backgrounds()[SCENES:]:
        photo = torch.from_numpy(pixels[:256, :256].transpose(2, 0, 1).astype(np.float32) / 255)
        own = sharpness(Cues()(photo[None])).item()
        blurred = [sharpness(Cues()(gaussian(photo[None], width))).item() for width in (2, 4, 8)]
        assert max(blurred) < min(SHARP_ENOUGH, own) - 0.2
        for spoiled in (0.6 * photo, 0.6 * photo + 0.28):  # darker, and in fog
            assert abs(sharpness(Cues()(spoiled[None])).item() - own) < 0.2
