"""Long thin bright things that stay."""

from dataclasses import replace

import numpy as np
import pytest

from semilar.flare import SynthSettings, synthesize
from semilar.flare.frame import Frame
from semilar.flare.lights import draw_bars

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
