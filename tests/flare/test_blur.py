"""The block-banded blur against SciPy."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from semilar.flare.blur import gaussian_blur


@pytest.mark.parametrize("sigma", [0.1, 0.7, 1.5, 3.0, 7.0])
@pytest.mark.parametrize("size", [(64, 64), (67, 130), (20, 9)])
def test_equals_scipy(sigma, size):
    planes = np.random.default_rng(1).random((3, *size), np.float32)
    radius = int(np.ceil(3 * sigma))
    expected = [
        gaussian_filter(p.astype(float), sigma, mode="nearest", radius=radius) for p in planes
    ]
    np.testing.assert_allclose(gaussian_blur(planes, sigma), expected, atol=2e-6)


def test_light_inside_the_picture_is_conserved():
    planes = np.zeros((1, 80, 90), np.float32)
    planes[0, 40, 45] = 3
    assert gaussian_blur(planes, 3.0).sum() == pytest.approx(3, rel=1e-5)
