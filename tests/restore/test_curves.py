"""Pixels to linear light and back, against the exact curve."""

import numpy as np
import pytest

from semilar.photo import linear_to_srgb
from semilar.restore.curves import decode, encode, encoded


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_every_code_survives_the_way_to_light_and_back(dtype: type) -> None:
    every = np.arange(np.iinfo(dtype).max + 1).astype(dtype)
    np.testing.assert_array_equal(encode(decode(every), np.dtype(dtype)), every)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_codes_are_the_nearest_ones(dtype: type) -> None:
    light = np.random.default_rng(3).random(200_000).astype(np.float32) ** 4
    top = np.iinfo(dtype).max
    exact = linear_to_srgb(light).astype(np.float64) * top
    error = np.abs(encode(light.copy(), np.dtype(dtype)) - exact)
    assert error.max() < 0.55  # 0.5 is perfect


def test_the_interpolated_curve_is_the_exact_one() -> None:
    light = np.concatenate([np.linspace(0, 1, 100_001), np.geomspace(1e-9, 1, 100_000)])
    light = light.astype(np.float32)
    np.testing.assert_allclose(encoded(light.copy()), linear_to_srgb(light), atol=1e-6)


def test_light_outside_the_range_is_clipped() -> None:
    light = np.array([-0.5, 0.0, 1.0, 7.0], np.float32)
    for dtype, top in ((np.uint8, 255), (np.uint16, 65535), (np.float32, 1)):
        assert encode(light.copy(), np.dtype(dtype)).tolist() == [0, 0, top, top]
