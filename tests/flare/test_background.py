"""The scene before light and flare."""

from dataclasses import replace

import numpy as np
import pytest

from semilar.flare import SynthSettings, synthesize
from semilar.flare import background as backdrop
from semilar.flare.backgrounds import SCENES, builtin_backgrounds
from semilar.flare.scene import night_scene
from semilar.flare.settings import BackgroundSettings, CameraSettings, NightSettings

PLAIN = BackgroundSettings(gain=(1.0, 1.0), noise=0.0, flip=False)


def prepare(picture, size, settings, seed=0):
    return backdrop.prepare(np.random.default_rng(seed), picture, size, 2.0, settings)


def test_plain_crop_is_a_window_of_the_photograph_in_linear_light():
    picture = np.random.default_rng(0).integers(0, 256, (40, 50, 3), dtype=np.uint8)
    linear = ((picture / 255.0) ** 2).astype(np.float32)
    for seed in range(5):
        crop = prepare(picture, (24, 30), PLAIN, seed)
        found = any(
            np.allclose(crop, linear[t : t + 24, left : left + 30], atol=1e-6)
            for t in range(17)
            for left in range(21)
        )
        assert found


def test_zoomed_crop_shows_more_and_keeps_the_mean():
    picture = night_scene(4, (200, 200))
    small = prepare(picture, (50, 50), BackgroundSettings(**{**PLAIN.__dict__, "zoom": (1.0, 1.0)}))
    assert small.shape == (50, 50, 3)
    assert (small**0.5).mean() == pytest.approx((picture / 255.0).mean(), rel=0.02)


@pytest.mark.parametrize("seed", range(10))
def test_day_becomes_night_and_night_stays(seed):
    night = NightSettings(exposure=(0.05, 0.1), tint=0.2)
    settings = BackgroundSettings(**{**PLAIN.__dict__, "night": night})
    day = np.random.default_rng(seed).integers(100, 256, (32, 32, 3), dtype=np.uint8)
    assert 0.04 <= prepare(day, (32, 32), settings, seed).mean() <= 0.12
    dark = day // 12
    np.testing.assert_allclose(
        prepare(dark, (32, 32), settings, seed), (dark / 255.0) ** 2, atol=1e-6
    )


def test_builtin_backgrounds_are_pictures():
    pictures = builtin_backgrounds()
    assert len(pictures) >= SCENES
    for picture in pictures:
        assert picture.dtype == np.uint8
        assert picture.ndim == 3
        assert picture.shape[2] == 3
        assert min(picture.shape[:2]) >= 300
        assert picture.std() > 5
        assert not picture.flags.writeable


@pytest.mark.parametrize("size", [(96, 160), (200, 120), (64, 64)])
def test_night_scene_is_dark_has_lamps_and_is_reproducible(size):
    for seed in range(3):
        picture = night_scene(seed, size)
        assert picture.shape == (*size, 3)
        assert picture.dtype == np.uint8
        assert picture.mean() < 100
        assert (picture.min(axis=2) > 240).any()
        assert picture.tobytes() == night_scene(seed, size).tobytes()
    assert night_scene(0, size).tobytes() != night_scene(1, size).tobytes()


def test_a_temperature_turns_light_warm_or_cold_and_keeps_its_mean():
    settings = BackgroundSettings(cast=0.0, temperature=1.0)
    casts = [backdrop.draw_cast(np.random.default_rng(seed), settings) for seed in range(400)]
    np.testing.assert_allclose(np.mean(casts, axis=1), 1, rtol=1e-5)
    red, green, blue = np.log(casts).T
    assert np.median(np.abs(blue - red)) == pytest.approx(np.log(2), rel=0.15)  # a Laplace law's
    np.testing.assert_allclose(green - red, 0.7 * (blue - red), atol=1e-4)  # never pink nor green


def test_warmth_takes_blue_down_by_its_stops_and_keeps_the_mean():
    red, green, blue = backdrop.warmth(1.5)
    assert np.log2(blue / red) == pytest.approx(-1.5, abs=1e-5)
    assert red > green > blue
    assert np.mean([red, green, blue]) == pytest.approx(1, abs=1e-6)


def test_a_warmer_scene_has_the_colder_flare():
    plain = SynthSettings.preset("smeared")
    still = replace(
        plain.background,
        cast=0.0,
        temperature=0.0,
        noise=0.0,
        night=replace(plain.background.night, tint=0.0),
    )
    warm = replace(still, warmer=(2.0, 2.0))
    camera = CameraSettings()
    layers = []
    for background in (still, warm):
        settings = replace(plain, background=background, camera=camera)
        layers.append(
            synthesize(night_scene(2, (140, 140)), seed=6, settings=settings, size=(128, 128))
        )
    before, after = (
        [
            np.log2(x[..., 2].mean() / x[..., 0].mean())
            for x in (s.target.astype(float), s.flare.astype(float))
        ]
        for s in layers
    )
    assert after[0] < before[0] - 0.1
    assert after[1] > before[1] + 0.1
