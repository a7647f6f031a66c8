"""The measurements flare-score is built on, against plain NumPy and SciPy."""

import math

import numpy as np
import pytest
import torch
from scipy import ndimage

from semilar.quality.scorers.cues import Cues, line_detectors

SMALL_CUES = Cues.count // 7  # own, highest, lowest, around, and three of the whole picture


def measure(picture: np.ndarray) -> np.ndarray:
    """(H, W, 3) -> (count, H/32, W/32)."""
    x = torch.from_numpy(picture.astype(np.float32).transpose(2, 0, 1))[None]
    return Cues()(x)[0].numpy()


@pytest.mark.parametrize("shape", [(32, 32), (64, 96)])
def test_every_cell_has_all_cues_and_they_are_finite(shape: tuple[int, int]):
    picture = np.random.default_rng(0).random((*shape, 3))
    found = measure(picture)
    assert found.shape == (Cues.count, shape[0] // 32, shape[1] // 32)
    assert np.isfinite(found).all()
    assert np.isfinite(measure(np.zeros((*shape, 3)))).all()


def test_brightness_and_its_extremes_are_numpys():
    picture = np.random.default_rng(1).random((64, 64, 3))
    found = measure(picture)
    grey = picture.mean(2)
    small = grey.reshape(8, 8, 8, 8).mean((1, 3))
    cells = small.reshape(2, 4, 2, 4)
    np.testing.assert_allclose(found[0], cells.mean((1, 3)), atol=1e-5)
    np.testing.assert_allclose(found[SMALL_CUES], cells.max((1, 3)), atol=1e-5)
    np.testing.assert_allclose(found[2 * SMALL_CUES], cells.min((1, 3)), atol=1e-5)
    np.testing.assert_allclose(found[4 * SMALL_CUES], small.mean(), atol=1e-5)
    np.testing.assert_allclose(found[6 * SMALL_CUES], small.std(ddof=1), atol=1e-5)


def test_contrast_at_the_finest_scale_is_scipys():
    picture = np.random.default_rng(2).random((32, 32, 3))
    grey = picture.mean(2)
    detail = grey - ndimage.uniform_filter(grey, 3, mode="nearest")
    small = 0.5 * np.log((detail**2).reshape(4, 8, 4, 8).mean((1, 3)) + 1e-6)
    light_cues, contrast = 11, 2
    np.testing.assert_allclose(
        measure(picture)[light_cues + contrast, 0, 0], small.mean(), atol=1e-4
    )


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
    # Among the highest of the small cells, the lines of the second scale stand after the cues of
    # light and two scales of four contrasts each.
    bright, dark = SMALL_CUES + 11 + 8, SMALL_CUES + 11 + 9
    plain, with_streak, with_scratch = (measure(p)[:, 0, 0] for p in (flat, streak, scratch))
    assert with_streak[bright] > plain[bright] + 1
    assert with_scratch[dark] > plain[dark] + 1
    assert with_streak[bright] - with_streak[dark] > with_scratch[bright] - with_scratch[dark]
