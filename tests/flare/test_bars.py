"""Long thin bright things that stay."""

from dataclasses import replace

import numpy as np
import pytest

from semilar.flare import SynthSettings, synthesize
from semilar.flare.frame import Frame
from semilar.flare.lights import draw_bars, draw_strip, lamp_colour, pure_colour
from semilar.flare.settings import LensSettings, LightSettings
from semilar.flare.streaks import add_line, draw_lines

SIZE = (160, 200)


def drawn(seed: int, **changes) -> np.ndarray:
    settings = replace(SynthSettings.preset("realistic").lights, colour=0.0, neon=0.0, **changes)
    canvas = np.zeros((*SIZE, 3), np.float32)
    draw_bars(np.random.default_rng(seed), Frame(*SIZE, SIZE[0], (100, 80)), settings, canvas)
    return canvas


def test_a_bar_covers_the_area_of_a_strip_with_round_ends() -> None:
    length, width = 0.2 * SIZE[0], 0.05 * SIZE[0]
    exact = {arms: arms * length * width for arms in (1, 3)}
    areas = []
    for seed in range(40):
        one = {"bar_length": (0.2, 0.2), "bar_width": (0.05, 0.05), "bar_radiance": (2.0, 2.0)}
        canvas = drawn(seed, bars=(1, 1), **one)
        assert canvas.max() <= 2.0
        inside = (
            canvas[0].max() == canvas[-1].max() == canvas[:, 0].max() == canvas[:, -1].max() == 0
        )
        if inside:
            areas.append(canvas[..., 0].sum() / 2)
    ends = np.pi * (width / 2) ** 2
    single = [area for area in areas if area < 1.5 * exact[1]]
    assert len(single) > 5
    assert len(areas) > len(single), "of some, three meet"
    assert single == pytest.approx([exact[1] + ends] * len(single), rel=0.02)


def test_bars_are_in_the_target_and_none_are_drawn_unless_asked_for() -> None:
    assert not drawn(1).any()
    scene = np.full((*SIZE, 3), 40, np.uint8)
    preset = SynthSettings.preset("clear")
    many = replace(preset, lights=replace(preset.lights, bars=(4, 4), bar_radiance=(3.0, 3.0)))
    plain, barred = (
        synthesize(scene, seed=3, settings=one, size=(128, 128)) for one in (preset, many)
    )
    more = barred.target.max(axis=2) - plain.target.max(axis=2)
    assert (more > 0.5).mean() > 0.01
    assert np.abs(barred.input - barred.target).max() < 0.1, "they cast no flare"


def test_a_strip_is_a_long_lamp_whose_sources_send_its_light() -> None:
    canvas, surface = np.zeros((*SIZE, 3), np.float32), np.array([4.0, 2.0, 1.0], np.float32)
    lights = draw_strip(canvas, (100, 80), length=60, half=3, turn=0.4, surface=surface)
    area = 60 * 6
    assert canvas.sum(axis=(0, 1)) == pytest.approx(surface * (area + np.pi * 3**2), rel=0.02)
    assert sum(np.pi * light.radius**2 for light in lights) == pytest.approx(area)
    places = np.array([(light.x, light.y) for light in lights])
    assert places.mean(axis=0) == pytest.approx([100, 80])
    turned = (places - [100, 80]) @ [[np.cos(0.4), -np.sin(0.4)], [np.sin(0.4), np.cos(0.4)]]
    assert np.abs(turned[:, 1]).max() < 1e-3
    assert np.ptp(turned[:, 0]) == pytest.approx(60 - lights[0].gap)


def test_the_flare_of_a_strip_has_no_gaps() -> None:
    """A streak across a long lamp is a band, however thin the streak of a point would be."""
    preset = SynthSettings.preset("streaked")
    lens = LensSettings(
        streak=replace(preset.lens.streak, axes=(1.0, 0.0, 0.0), width=(0.03, 0.03), broken=0.0)
    )
    frame = Frame(*SIZE, SIZE[0], (100, 80))
    lines = draw_lines(np.random.default_rng(5), frame, lens.streak)
    x, y = lines[0].direction
    turn = float(np.arctan2(y, x)) + np.pi / 2
    strip = draw_strip(np.zeros((*SIZE, 3), np.float32), (100, 80), 40, 2, turn, np.ones(3))
    band = np.zeros((*SIZE, 3), np.float32)
    for light in strip:
        add_line(band, lines[0], light, frame)
    along = np.linspace(-15, 15, 61)[:, None] * [np.cos(turn), np.sin(turn)]
    off = 10 * np.array([np.cos(turn + np.pi / 2), np.sin(turn + np.pi / 2)])
    x, y = np.rint(along + off + [100, 80]).astype(int).T
    levels = band[y, x, 1]
    assert levels.min() > 0.6 * levels.max() > 0


def test_pure_colours_have_any_hue_and_one_full_channel() -> None:
    colours = np.array([pure_colour(np.random.default_rng(seed)) for seed in range(300)])
    assert colours.max(axis=1) == pytest.approx(1)
    assert 0.01 <= colours.min() < 0.05
    assert colours.min(axis=1).max() <= 0.35
    assert set(colours.argmax(axis=1)) == set(colours.argmin(axis=1)) == {0, 1, 2}


def test_pure_colours_stay_pure_where_other_lamps_are_nearly_white() -> None:
    pale = LightSettings(colour=0.1, neon=0.0)
    for seed in range(20):
        white = lamp_colour(np.random.default_rng(seed), pale)
        neon = lamp_colour(np.random.default_rng(seed), replace(pale, neon=1.0))
        assert white.min() > 0.9
        assert neon.min() < 0.4
