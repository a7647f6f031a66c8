"""A scene in the colour of the lamp that lights it."""

from dataclasses import replace

import numpy as np
import pytest

from semilar.flare import SynthSettings, synthesize
from semilar.flare.lights import LEAST_LIGHT, Light, colour_by_lamp
from semilar.flare.settings import LightSettings

ORANGE = np.array([10.0, 5.0, 0.001], np.float32)
BLUE = np.array([0.1, 0.1, 2.0], np.float32)


def _lit(lights: list[Light], share: float, level: float = 0.1) -> np.ndarray:
    scene = np.full((8, 8, 3), level, np.float32)
    colour_by_lamp(np.random.default_rng(3), scene, lights, LightSettings(same_light=share))
    return scene


def test_the_scene_takes_the_strongest_lamps_colour_and_keeps_its_light() -> None:
    scene = _lit([Light(1, 1, 1.0, BLUE), Light(5, 5, 1.0, ORANGE)], share=1.0)
    red, green, blue = scene[0, 0]
    # c ** k with one k for all channels: the ratio of two logarithms is the lamp's own.
    assert np.log(green / red) / np.log(blue / red) == pytest.approx(
        np.log(0.5) / np.log(LEAST_LIGHT), rel=1e-4
    )
    assert red > green > blue
    assert scene.mean() == pytest.approx(0.1, rel=1e-5)


def test_a_bright_scene_stays_in_range() -> None:
    assert _lit([Light(5, 5, 1.0, ORANGE)], share=1.0, level=0.9).max() == 1.0


def test_without_a_share_or_a_lamp_the_scene_stays() -> None:
    lamp = [Light(5, 5, 1.0, ORANGE)]
    for scene in (_lit(lamp, share=0.0), _lit([], share=1.0)):
        assert (scene == np.float32(0.1)).all()


def test_it_happens_in_so_many_pictures() -> None:
    rng = np.random.default_rng(0)
    changed = 0
    for _ in range(400):
        scene = np.full((2, 2, 3), 0.1, np.float32)
        colour_by_lamp(rng, scene, [Light(0, 0, 1.0, ORANGE)], LightSettings(same_light=0.25))
        changed += scene[0, 0, 0] != scene[0, 0, 2]
    assert 70 < changed < 130


def test_samples_show_it() -> None:
    """Pure colours and no other light: the target is no longer grey where the scene was."""
    plain = SynthSettings.preset("clear")
    lights = replace(plain.lights, neon=1.0, adopt=0, quiet=(0, 0), lit=(0.0, 0.0))
    grey = np.full((64, 64, 3), 90, np.uint8)

    def spread(share: float) -> float:
        """Median difference between a pixel's channels, encoded light."""
        settings = replace(plain, lights=replace(lights, same_light=share))
        neutral = replace(plain.background, cast=0.0, temperature=0.0, noise=0.0)
        settings = replace(settings, background=neutral)
        found = [
            synthesize(grey, seed=seed, settings=settings, size=(48, 48)).target
            for seed in range(6)
        ]
        return float(np.mean([np.median(np.ptp(one, axis=2)) for one in found]))

    assert spread(1.0) > 2 * spread(0.0)
