"""The published protocol: its distributions, and its warp against SciPy."""

import numpy as np
import pytest
from scipy.ndimage import map_coordinates
from scipy.stats import chi2, kstest

from semilar.flare import background as backdrop
from semilar.flare import protocol
from semilar.flare.blur import gaussian_blur
from semilar.flare.decode import Decoded
from semilar.flare.protocol import Draw, draw_parameters, inverse_affine, warp_into
from semilar.flare.settings import BackgroundSettings, PatternSettings, SynthSettings

DRAWS = 3000
LIKELY = 1e-4  # a right implementation fails this often


def is_uniform(values, low, high):
    assert min(values) >= low
    assert max(values) <= high
    assert kstest(values, "uniform", args=(low, high - low)).pvalue > LIKELY


@pytest.fixture(scope="module")
def draws():
    rng = np.random.default_rng(11)
    settings = SynthSettings.preset("protocol").pattern
    return [draw_parameters(rng, settings) for _ in range(DRAWS)]


def test_pattern_parameters_follow_the_paper(draws):
    is_uniform([d.rotation for d in draws], 0, 360)
    for axis in (0, 1):
        is_uniform([d.translation[axis] for d in draws], -300, 300)
        is_uniform([d.shear[axis] for d in draws], -20, 20)
        flips = sum(d.flip[axis] for d in draws)
        assert abs(flips - DRAWS / 2) < 5 * (DRAWS / 4) ** 0.5
    is_uniform([d.scale for d in draws], 0.8, 1.5)
    is_uniform([d.blur for d in draws], 0.1, 3.0)
    is_uniform([d.offset for d in draws], -0.02, 0.02)
    is_uniform([d.brightness for d in draws], 0.8, 3.0)


def test_background_ranges_follow_the_paper():
    settings = SynthSettings.preset("protocol").background
    assert settings.gamma == (1.8, 2.2)
    assert settings.gain == (0.5, 1.2)
    assert settings.noise == 0.01
    assert settings.noise_law == "variance"
    assert settings.night.probability == 0
    assert settings.zoom == (0.0, 0.0)


def test_gain_is_uniform():
    settings = BackgroundSettings(noise=0.0)
    grey = np.full((8, 8, 3), 128, np.uint8)
    linear = float(backdrop.power_table(2.0)[128])
    gains = [
        float(backdrop.prepare(np.random.default_rng(s), grey, (8, 8), 2.0, settings).mean())
        for s in range(1000)
    ]
    is_uniform(np.array(gains) / linear, 0.5 - 1e-5, 1.2 + 1e-5)


@pytest.mark.parametrize(("law", "power"), [("variance", 1.0), ("deviation", 2.0)])
def test_noise_has_a_chi_square_variance(law, power):
    settings = BackgroundSettings(gain=(1.0, 1.0), noise=1e-4, noise_law=law)
    grey = np.full((48, 48, 3), 180, np.uint8)
    found = []
    for seed in range(400):
        scene = backdrop.prepare(np.random.default_rng(seed), grey, (48, 48), 2.0, settings)
        found.append(float(scene.var()))
    chi = np.array(found) ** (1 / power) / 1e-4
    # "variance": sigma^2 = scale * chi2; "deviation": sigma = scale * chi2, so variance^(1/2).
    assert kstest(chi, chi2(1).cdf).pvalue > LIKELY


def decoded(pixels):
    low, high = pixels.min(axis=(1, 2)), pixels.max(axis=(1, 2))
    return Decoded(pixels, low, high, None, (0, 0))


def smooth_pattern(seed, size):
    rng = np.random.default_rng(seed)
    planes = gaussian_blur(rng.random((3, *size), np.float32), 4.0)
    planes = (planes - planes.min()) / (planes.max() - planes.min())
    return (planes * 255).astype(np.uint8)


def slow_warp(pixels, matrix, size, table):
    """Every output pixel looked up by SciPy, black outside."""
    rows, columns = np.indices(size) + 0.5
    x = matrix[0, 0] * columns + matrix[0, 1] * rows + matrix[0, 2] - 0.5
    y = matrix[1, 0] * columns + matrix[1, 1] * rows + matrix[1, 2] - 0.5
    planes = [table[c][pixels[c]].astype(float) for c in range(3)]
    return np.stack([map_coordinates(p, [y, x], order=1, cval=0.0) for p in planes])


@pytest.mark.parametrize("seed", range(6))
def test_warp_of_the_kept_pixels_equals_a_warp_of_all(seed):
    pixels = smooth_pattern(seed, (300, 360))
    draw = draw_parameters(np.random.default_rng(seed), PatternSettings())
    size = (96, 128)
    matrix = inverse_affine(draw, size, decoded(pixels))
    table = np.tile(backdrop.power_table(2.0), (3, 1))
    canvas = np.zeros((3, *size), np.float32)
    warp_into(canvas, pixels, matrix, table, sigma=0.1)
    expected = slow_warp(pixels, matrix, size, table)
    inside = slow_warp(np.full_like(pixels, 255), matrix, size, table) > 0.999
    assert inside.mean() > 0.2
    shrunk = abs(np.linalg.det(matrix[:, :2])) ** 0.5 >= 2
    np.testing.assert_allclose(canvas[inside], expected[inside], atol=0.06 if shrunk else 2e-4)


def test_a_hiding_blur_lets_nearest_pass_for_bilinear(monkeypatch):
    pixels = smooth_pattern(3, (1440, 1440))
    draw = Draw(33.0, (20.0, -40.0), (5.0, -8.0), 1.2, 1.0, (True, False), 0.0, 1.0)
    matrix = inverse_affine(draw, (512, 512), decoded(pixels))
    table = np.tile(backdrop.power_table(2.0), (3, 1))
    results = []
    for limit in (0.5, 2.0):
        monkeypatch.setattr(protocol, "HIDING_BLUR", limit)
        canvas = np.zeros((3, 512, 512), np.float32)
        warp_into(canvas, pixels, matrix, table, sigma=1.0)
        results.append(gaussian_blur(canvas, 1.0))
    assert not np.array_equal(*results)
    assert np.abs(results[0] - results[1]).mean() < 2e-3


def test_affine_parameters_mean_what_they_say():
    pattern = decoded(np.zeros((3, 1440, 1440), np.uint8))
    still = {"shear": (0.0, 0.0), "blur": 1.0, "flip": (False, False), "offset": 0, "brightness": 1}
    turned = Draw(rotation=90.0, translation=(30.0, 0.0), scale=2.0, **still)
    matrix = inverse_affine(turned, (512, 512), pattern)
    # The pattern's middle lands 30 pixels right of the crop's middle.
    np.testing.assert_allclose(matrix @ (256 + 30, 256, 1), (720, 720), atol=1e-9)
    # Ten pattern pixels to the right of it land twenty pixels below, as y points down.
    np.testing.assert_allclose(matrix @ (256 + 30, 256 + 20, 1), (730, 720), atol=1e-9)
    half = inverse_affine(turned, (256, 256), pattern)
    np.testing.assert_allclose(half @ (128 + 15, 128, 1), (720, 720), atol=1e-9)


def test_black_level_is_taken_away_per_channel():
    pixels = np.stack([np.full((4, 4), low, np.uint8) for low in (10, 0, 40)])
    pixels[:, 0, 0] = 250
    table = protocol.black_table(decoded(pixels), 2.0)
    linear = (np.arange(256) / 255) ** 2.0
    for channel, low in enumerate((10, 0, 40)):
        assert table[channel, low] == 0
        assert table[channel, 250] == pytest.approx(linear[250], rel=1e-5)
