"""Region metrics against a slow loop over pixels, and the traps of the published evaluator."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from semilar.errors import SemilarError
from semilar.quality import (
    Regions,
    challenge_score,
    psnr,
    psnr_outside,
    region_psnr,
    uses_colour_code,
)
from tests.support.pictures import smooth_picture

GLARE, STREAK, SOURCE, REST = (255, 255, 0), (255, 0, 0), (0, 0, 255), (0, 0, 0)


def _coded(height: int, width: int, seed: int = 0) -> np.ndarray:
    kinds = np.array([GLARE, STREAK, SOURCE, REST], np.uint8)
    return kinds[np.random.default_rng(seed).integers(0, 4, (height, width))]


def _slow(picture: np.ndarray, truth: np.ndarray, mask: np.ndarray) -> dict[str, float | None]:
    """Pixel by pixel, in Python numbers: weights, squares and areas as the text defines them."""
    sums = {"glare": 0.0, "streak": 0.0, "outside": 0.0}
    areas = dict(sums)
    for y in range(mask.shape[0]):
        for x in range(mask.shape[1]):
            red, green, blue = (int(v) for v in mask[y, x])
            weights = {
                "glare": green / 255,
                "streak": max(red - green, 0) / 255,
                "outside": (255 - blue) / 255,
            }
            for name, weight in weights.items():
                areas[name] += weight
                for c in range(3):
                    difference = int(picture[y, x, c]) - int(truth[y, x, c])
                    sums[name] += (weight * difference) ** 2 / 3
    return {
        name: None
        if areas[name] == 0
        else math.inf
        if sums[name] == 0
        else 10 * math.log10(255**2 * areas[name] / sums[name])
        for name in sums
    }


@given(st.data())
@settings(deadline=None, max_examples=25)
def test_equal_to_the_loop(data: st.DataObject) -> None:
    shape = (data.draw(st.integers(1, 9)), data.draw(st.integers(1, 12)), 3)
    picture, truth = (data.draw(hnp.arrays(np.uint8, shape)) for _ in range(2))
    soft = hnp.arrays(np.uint8, shape)  # any values: soft edges, and red below green, which wraps
    coded = st.integers(0, 99).map(lambda seed: _coded(*shape[:2], seed))
    mask = data.draw(st.one_of(soft, coded))
    got = region_psnr(picture, truth, mask)
    for name, expected in _slow(picture, truth, mask).items():
        value = getattr(got, name)
        assert value == (expected if expected is None else pytest.approx(expected, abs=1e-9)), name


def test_a_region_is_the_psnr_of_its_pixels() -> None:
    truth, mask = smooth_picture(33, 47), _coded(33, 47)
    rng = np.random.default_rng(1)
    picture = np.clip(truth + rng.normal(0, 9, truth.shape), 0, 255).astype(np.uint8)
    got = region_psnr(picture, truth, mask)
    for name, kind in (("glare", GLARE), ("streak", STREAK)):
        inside = np.all(mask == kind, axis=2)
        assert getattr(got, name) == pytest.approx(psnr(picture[inside], truth[inside]), abs=1e-9)
    outside = ~np.all(mask == SOURCE, axis=2)
    assert got.outside == pytest.approx(psnr(picture[outside], truth[outside]), abs=1e-9)


def test_red_below_green_does_not_wrap() -> None:
    mask = np.zeros((8, 8, 3), np.uint8)
    mask[:4] = (250, 255, 0)  # a resampled glare: 250 - 255 is 251 in uint8
    truth = smooth_picture(8, 8)
    assert region_psnr(truth + 1, truth, mask).streak is None


def test_an_exact_match_is_infinite_and_a_missing_region_is_none() -> None:
    truth = smooth_picture(16, 16)
    mask = np.zeros((16, 16, 3), np.uint8)
    mask[:5] = GLARE
    assert region_psnr(truth, truth, mask) == Regions(math.inf, None, math.inf)
    mask[:] = SOURCE
    assert region_psnr(truth, truth, mask) == Regions(None, None, None)


def test_light_sources_do_not_count() -> None:
    truth = smooth_picture(16, 16)
    picture, mask = truth.copy(), np.zeros((16, 16, 3), np.uint8)
    mask[4:8, 4:8], picture[4:8, 4:8] = SOURCE, 0
    assert region_psnr(picture, truth, mask).outside == math.inf


def test_the_score_is_the_mean_of_three_means() -> None:
    rows = [Regions(20.0, None, 30.0), Regions(22.0, 18.0, 32.0), Regions(None, 20.0, 34.0)]
    assert challenge_score(rows) == pytest.approx((21 + 19 + 32) / 3)
    assert challenge_score([Regions(20.0, None, 30.0)]) is None


def test_masks_of_another_code_are_told_apart() -> None:
    assert uses_colour_code(_coded(9, 9))
    assert not uses_colour_code(np.full((4, 4, 3), 255, np.uint8))


def test_a_mask_of_another_size_is_an_error() -> None:
    truth = smooth_picture(16, 24)
    with pytest.raises(SemilarError, match="mask has 16 x 24 pixels, the picture 24 x 16"):
        region_psnr(truth, truth, _coded(24, 16))


def test_what_a_white_mask_hides_does_not_count() -> None:
    rng = np.random.default_rng(3)
    picture, truth = rng.integers(0, 256, (2, 20, 30, 3)).astype(np.uint8)
    mask = np.zeros((20, 30, 3), np.uint8)
    mask[4:12, 5:20] = 255
    kept = mask[..., 0] == 0
    total = sum(
        (float(picture[place][c]) - float(truth[place][c])) ** 2
        for place in zip(*np.nonzero(kept), strict=True)
        for c in range(3)
    )
    wanted = 10 * np.log10(255**2 / (total / (3 * kept.sum())))
    assert psnr_outside(picture, truth, mask) == pytest.approx(wanted)
    assert psnr_outside(picture, truth, np.full_like(mask, 255)) is None
