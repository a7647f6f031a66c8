"""Lines of a star: where they run, how bright they are, how their colours drift apart."""

import numpy as np
import pytest

from semilar.flare.frame import Frame
from semilar.flare.lights import Light
from semilar.flare.settings import StreakSettings
from semilar.flare.spectrum import camera_response, interference
from semilar.flare.streaks import add_line, draw_lines

FRAME = Frame(200, 240, 200.0, (120.0, 100.0))
PLAIN = StreakSettings(
    axes=(1.0, 0.0, 0.0),
    height=(0.5, 0.5),
    length=(1.2, 1.2),
    skirt=(0.0, 0.0),
    spread=(0.0, 0.0),
    width=(1.0, 1.0),
    one_sided=0.0,
    broken=0.0,
    tint=0.0,
    focal=(0.8, 0.8),
)
WHITE = np.full(3, 10, np.float32)


def lines(seed, settings=PLAIN):
    return draw_lines(np.random.default_rng(seed), FRAME, settings)


def rendered(line, *lights):
    canvas = np.zeros((*FRAME.size, 3), np.float32)
    for light in lights:
        add_line(canvas, line, light, FRAME)
    return canvas


def cosines(x, y, focal):
    """Direction of the light that falls on a pixel of a pinhole camera."""
    ray = np.array([x - FRAME.centre[0], y - FRAME.centre[1], focal])
    return ray / np.linalg.norm(ray)


@pytest.mark.parametrize("seed", range(6))
def test_a_line_keeps_the_direction_cosine_across_it(seed):
    """The grating equation by brute force: lit pixels share the source's cosine across."""
    line = lines(seed)[0]
    source = Light(60.0, 40.0, 1.5, WHITE)
    picture = rendered(line, source).sum(axis=2)
    normal = np.array([-line.direction[1], line.direction[0]])
    wanted = cosines(source.x, source.y, line.focal)[:2] @ normal
    rows, columns = np.nonzero(picture > 0.01)
    assert len(rows) > 50
    offsets = [
        cosines(x, y, line.focal)[:2] @ normal - wanted for x, y in zip(columns, rows, strict=True)
    ]
    pixel = 1 / line.focal
    assert np.abs(offsets).max() < 2.6 * pixel


def test_lines_bow_away_from_the_optical_centre():
    line = next(
        found[0] for seed in range(400) if abs((found := lines(seed))[0].direction[1]) < 0.02
    )
    picture = rendered(line, Light(120.0, 40.0, 1.5, WHITE))[..., 1]
    above = {column: int(picture[:, column].argmax()) for column in (5, 120, 235)}
    # Around a straight line's course, the ends turn upwards: the source lies above the centre.
    assert (above[5] + above[235]) / 2 < above[120] - 3


def test_light_grows_with_the_width_and_brightness_of_the_source():
    line = lines(1)[0]
    one = rendered(line, Light(120.0, 100.0, 2.0, WHITE)).sum()
    assert rendered(line, Light(120.0, 100.0, 2.0, 2 * WHITE)).sum() == pytest.approx(
        2 * one, rel=0.05
    )
    assert rendered(line, Light(120.0, 100.0, 4.0, WHITE)).sum() == pytest.approx(4 * one, rel=0.1)


def test_sources_share_the_lens_and_their_light_adds():
    line = lines(2)[0]
    a, b = Light(50.0, 60.0, 2.0, WHITE), Light(180.0, 150.0, 3.0, WHITE)
    both = rendered(line, a, b)
    np.testing.assert_allclose(both, rendered(line, a) + rendered(line, b), atol=1e-6)


def test_one_sided_lines_end_at_the_source():
    settings = StreakSettings(**{**PLAIN.__dict__, "one_sided": 1.0})
    for seed in range(4):
        line = lines(seed, settings)[0]
        picture = rendered(line, Light(120.0, 100.0, 1.5, WHITE)).sum(axis=2)
        rows, columns = np.nonzero(picture)
        along = (columns - 120) * line.direction[0] + (rows - 100) * line.direction[1]
        assert along.min() > -2
        assert along.max() > 40


@pytest.mark.parametrize("count", [1, 2, 3])
def test_number_of_lines(count):
    chosen = tuple(float(k == count) for k in (1, 2, 3))
    found = lines(5, StreakSettings(**{**PLAIN.__dict__, "axes": chosen}))
    assert len(found) == count
    turns = sorted(np.arctan2(x.direction[1], x.direction[0]) % np.pi for x in found)
    gaps = np.diff([*turns, turns[0] + np.pi])
    assert np.abs(gaps - np.pi / count).max() < 0.4


def test_interference_colours_are_the_sum_over_wavelengths():
    distance = np.linspace(0, 0.6, 40).astype(np.float32)
    wavelengths, response = camera_response(31)
    slow = np.zeros((40, 3))
    for row, d in enumerate(distance):
        for nm, weights in zip(wavelengths, response, strict=True):
            slow[row] += weights * (1 + 0.7 * np.cos(2 * np.pi * d / 0.05 * 540 / nm))
    np.testing.assert_allclose(interference(distance, 0.05, 0.7), slow, atol=0.01)


def test_camera_response_adds_up_to_one():
    for count in (12, 40):
        np.testing.assert_allclose(camera_response(count)[1].sum(axis=0), 1, rtol=1e-5)
