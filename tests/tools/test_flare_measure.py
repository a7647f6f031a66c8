"""Measures of flare layers against layers whose numbers are known."""

import numpy as np
import pytest
from tools.flare_measure import find_centre, measure

SIZE = (300, 400)
AT = (180.0, 140.0)


def radius_at():
    rows, columns = np.indices(SIZE) + 0.5
    return columns - AT[0], rows - AT[1]


def grey(plane):
    return np.repeat(plane[..., None], 3, axis=2).astype(np.float32)


def glow(exponent, height=0.5, core=0.01):
    dx, dy = radius_at()
    distance = np.hypot(dx, dy) / min(SIZE)
    return grey(height * (1 + (distance / core) ** 2) ** (-exponent / 2))


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
def test_fall_off_exponent(exponent):
    assert measure(glow(exponent)).falloff == pytest.approx(exponent, abs=0.12)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_arms_and_their_width(axes):
    dx, dy = radius_at()
    layer = np.zeros(SIZE)
    for k in range(axes):
        angle = 0.3 + np.pi * k / axes
        across = -np.sin(angle) * dx + np.cos(angle) * dy
        layer += 0.2 * (np.abs(across) < 3) * np.exp(-np.hypot(dx, dy) / 150)
    found = measure(grey(layer))
    assert found.arms == 2 * axes
    assert found.arm_width == pytest.approx(100 * 6 / 300, rel=0.4)


def test_shares_and_mean():
    layer = np.zeros((100, 100, 3), np.float32)
    layer[:20, :50] = 0.3  # a tenth of the picture
    layer[50:60] = 0.03  # another tenth
    found = measure(layer)
    assert found.mean == pytest.approx(100 * (0.1 * 0.3 + 0.1 * 0.03), rel=1e-4)
    assert found.above_1 == pytest.approx(20, abs=1.5)
    assert found.above_5 == pytest.approx(10, abs=1)
    assert found.above_20 == pytest.approx(10, abs=1)


def test_noise_and_shifted_edges_cancel():
    rng = np.random.default_rng(0)
    layer = rng.normal(0, 0.1, (200, 200, 3)).astype(np.float32)
    found = measure(layer)
    assert found.above_1 < 2
    assert abs(found.mean) < 0.1


def test_saturation_of_grey_and_of_pure_colour():
    assert measure(glow(1.5)).saturation == pytest.approx(0, abs=1e-5)
    red = glow(1.5, height=2.0)
    red[..., 1:] = 0
    assert measure(red).saturation == pytest.approx(1, abs=1e-5)


def test_a_layer_without_flare_has_no_arms():
    found = measure(np.zeros((80, 80, 3), np.float32))
    assert (found.mean, found.above_1, found.arms) == (0, 0, 0)
    assert np.isnan(found.falloff)
    assert np.isnan(found.saturation)


def test_centre_is_the_source():
    assert find_centre(glow(2.0)) == pytest.approx(AT, abs=8)
