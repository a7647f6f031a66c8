"""Resampling against exact fractions and Pillow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from semilar.restore.resample import area, cubic

RNG = np.random.default_rng(7)


@given(size_in=st.integers(1, 90), size_out=st.integers(1, 90))
@settings(max_examples=80, deadline=None)
def test_area_is_the_mean_in_exact_fractions(size_in: int, size_out: int) -> None:
    size_out = min(size_in, size_out)
    x = RNG.random((2, size_in)).astype(np.float32)
    fine = np.repeat(x.astype(np.float64), size_out, axis=1)
    expected = fine.reshape(2, size_out, size_in).mean(axis=2)
    np.testing.assert_allclose(area(size_in, size_out).along_last(x), expected, atol=2e-6)


@pytest.mark.parametrize("size_out", [50, 123, 300, 777])
def test_cubic_is_pillows_away_from_the_border(size_out: int) -> None:
    x = RNG.random((9, 50)).astype(np.float32)
    pillow = Image.fromarray(x).resize((size_out, 9), Image.Resampling.BICUBIC)
    border = 3 * size_out // 50
    ours = cubic(50, size_out).along_last(x)
    inner = slice(border, -border or None)
    np.testing.assert_allclose(ours[:, inner], np.asarray(pillow)[:, inner], atol=2e-6)


@given(size_in=st.integers(1, 40), size_out=st.integers(1, 200), level=st.floats(-2, 2, width=32))
@settings(max_examples=60, deadline=None)
def test_a_flat_row_stays_flat_and_a_zero_row_exactly_zero(
    size_in: int, size_out: int, level: float
) -> None:
    flat = np.full((1, size_in), level, np.float32)
    for make in (area, cubic):
        low, high = (size_in, size_out) if make is cubic else (max(size_in, size_out), size_in)
        source = flat if make is cubic else np.full((1, low), level, np.float32)
        out = make(low, high).along_last(source)
        np.testing.assert_allclose(out, level, atol=1e-5)
        if level == 0:
            assert not out.any()


def test_a_part_of_the_rows_is_the_part_of_the_whole() -> None:
    resampler = cubic(20, 133)
    x = RNG.random((5, 20)).astype(np.float32)
    whole = resampler.along_last(x)
    inputs, weights = resampler.matrix(40, 77)
    np.testing.assert_allclose(x[:, inputs] @ weights.T, whole[:, 40:77], atol=1e-6)
