"""Encoded and linear light against the standard's own formula and against scikit-image."""

import numpy as np
import pytest
from skimage.color import gray2rgb, rgb2xyz

from semilar.photo import light


def test_srgb_curve_equals_scikit_image() -> None:
    codes = np.linspace(0, 1, 4097)
    # The Y row of the conversion to XYZ sums to one, so that Y of a grey is its linear value.
    expected = rgb2xyz(gray2rgb(codes))[:, 1]
    assert light.srgb_to_linear(codes) == pytest.approx(expected, abs=2e-6)


def test_curves_are_inverse_at_16_bits() -> None:
    codes = np.arange(65536) / 65535
    back = light.linear_to_srgb(light.srgb_to_linear(codes))
    assert np.array_equal(np.rint(back * 65535), np.arange(65536))


@pytest.mark.parametrize("depth", [8, 16])
def test_table_is_the_curve(depth: int) -> None:
    table = light.srgb_table(depth)
    assert len(table) == 2**depth
    assert table[[0, -1]].tolist() == [0, 1]
    assert np.array_equal(table, light.srgb_to_linear(np.arange(2**depth) / (2**depth - 1)))
