"""Smears and veils: bow ties across the wipe, by the fast path and by wave optics."""

from dataclasses import replace

import numpy as np
import pytest

from semilar.flare import SynthSettings, synthesize
from semilar.flare.frame import Frame
from semilar.flare.lens import cast, draw_lens
from semilar.flare.lights import Light, light_up
from semilar.flare.pupil import Pupil, coordinates, iris
from semilar.flare.pupil import _smear as wiped
from semilar.flare.radial import veil
from semilar.flare.scene import night_scene
from semilar.flare.settings import LightSettings, SmearSettings, VeilSettings
from semilar.flare.smear import ANGLES, draw_wipes, smear
from semilar.flare.wave import point_spread

ONE = SmearSettings(
    probability=1.0,
    wipes=(1.0,),
    height=(1.0, 1.0),
    spread=(8.0, 8.0),
    fibres=(0.0, 0.0),
    foot=(0.0, 0.0),
    bend=0.0,
    one_sided=0.0,
    dispersion=(0.0, 0.0),
    tint=0.0,
)


def drawn(settings=ONE, seed=0):
    return draw_wipes(np.random.default_rng(seed), settings)[0]


def at(wipe, turns, distance):
    return smear(wipe, np.array([turns], np.float32), np.array([distance], np.float32))[0]


def test_light_goes_to_both_sides_within_the_opening_and_nowhere_else():
    wipe = drawn()
    middle = float(wipe.strength.argmax()) / ANGLES
    peak = at(wipe, middle, 0.2)[1]
    assert at(wipe, middle + 0.5, 0.2)[1] > 0.4 * peak  # the other side of the source
    assert at(wipe, middle + 0.25, 0.2)[1] < 0.001 * peak  # along the wipe
    assert at(wipe, middle + 4 / 360, 0.2)[1] > 0.5 * peak


def test_a_bow_tie_widens_with_distance():
    """Its width at half height, measured on a picture, grows in proportion."""
    wipe = drawn()
    turn = np.arange(3600, dtype=np.float32) / 3600
    widths = []
    for distance in (0.1, 0.3):
        light = smear(wipe, turn, np.full(3600, distance, np.float32))[:, 1]
        widths.append((light > light.max() / 2).sum() / 3600 * 2 * np.pi * distance)
    assert widths[1] == pytest.approx(3 * widths[0], rel=0.05)


def test_light_falls_off_as_asked_and_ends():
    settings = replace(ONE, core=(0.01, 0.01), falloff=(1.5, 1.5), length=(50.0, 50.0))
    wipe = drawn(settings)
    middle = float(wipe.strength.argmax()) / ANGLES
    ratio = at(wipe, middle, 0.2)[1] / at(wipe, middle, 0.4)[1]
    assert ratio == pytest.approx((0.41 / 0.21) ** 1.5, rel=0.02)
    short = drawn(replace(ONE, length=(0.3, 0.3)))
    assert at(short, float(short.strength.argmax()) / ANGLES, 0.31)[1] == 0


def test_red_light_is_thrown_farther_than_blue():
    wipe = drawn(replace(ONE, dispersion=(0.3, 0.3), falloff=(2.0, 2.0)))
    red, green, blue = at(wipe, float(wipe.strength.argmax()) / ANGLES, 0.4)
    assert red > green > blue


def test_fibres_split_the_fan_into_rays():
    smooth, split = (drawn(replace(ONE, fibres=(c, c)), seed=3).strength for c in (0.0, 1.0))

    def peaks(strength):
        inner = strength[1:-1]
        tops = (inner > strength[:-2]) & (inner > strength[2:])
        return int((tops & (inner > 0.02 * strength.max())).sum())

    assert peaks(smooth) == 2
    assert peaks(split) > 6


def test_a_bent_wipe_turns_with_distance():
    wipe = drawn(replace(ONE, bend=0.4), seed=5)
    turn = np.arange(7200, dtype=np.float32) / 7200
    near, far = (
        smear(wipe, turn, np.full(7200, d, np.float32))[:, 1].argmax() / 7200 * 2 * np.pi
        for d in (0.1, 0.6)
    )
    assert (near - far + np.pi) % np.pi == pytest.approx(wipe.bend * 0.5 % np.pi, abs=0.01)


def test_all_lamps_of_a_picture_show_the_same_smear():
    frame = Frame(120, 120, 120.0, (60.0, 60.0))
    lens_settings = SynthSettings.preset("smeared").lens
    lens = draw_lens(np.random.default_rng(1), frame, replace(lens_settings, ghost=NO_GHOST))
    white = np.full(3, 10, np.float32)
    a, b = Light(30.0, 40.0, 2.0, white), Light(80.0, 90.0, 2.0, white)
    both = sum(cast(lens, [a, b], frame))
    np.testing.assert_allclose(
        both, sum(cast(lens, [a], frame)) + sum(cast(lens, [b], frame)), atol=1e-4
    )


NO_GHOST = replace(SynthSettings.preset("smeared").lens.ghost, probability=0.0)


def test_a_veil_falls_to_a_third_at_its_reach():
    settings = VeilSettings(height=(0.1, 0.1), reach=(0.5, 0.5), edge=(1.3, 1.3), uneven=0.0)
    distance = np.array([0.0, 0.5], np.float32)
    light = veil(np.random.default_rng(0), settings, np.zeros(2, np.float32), distance)
    np.testing.assert_allclose(light, [0.1, 0.1 / np.e], rtol=1e-5)


def test_a_lamp_lights_up_what_is_near_and_keeps_its_texture():
    frame = Frame(80, 80, 80.0, (40.0, 40.0))
    rng = np.random.default_rng(0)
    scene = rng.uniform(0.01, 0.02, (80, 80, 3)).astype(np.float32)
    before = scene.copy()
    settings = LightSettings(lit=(3.0, 3.0), lit_reach=(0.2, 0.2))
    light_up(rng, scene, [Light(20.0, 20.0, 2.0, np.full(3, 10, np.float32))], frame, settings)
    gain = scene / before
    assert gain[20, 20] == pytest.approx([4, 4, 4])
    assert gain[20, 36] == pytest.approx([2.5] * 3, rel=1e-3)  # half of it at its reach
    assert (gain[79, 79] < 1.3).all()


@pytest.mark.parametrize("name", ["smeared", "streaked", "veiled", "ghosts", "daylight"])
def test_every_population_flares_and_keeps_its_scene(name):
    background = night_scene(3, (160, 160))
    settings = replace(SynthSettings.preset(name), flare_free=0.0)
    added = []
    for seed in range(12):
        sample = synthesize(background, seed=seed, settings=settings, size=(128, 128))
        assert sample.input.min() >= 0
        assert sample.input.max() <= 1
        added.append(float((sample.input - sample.target).mean()))
    assert np.median(added) > 0.005
    assert min(added) > -0.002


def test_a_clear_sample_has_lamps_and_no_flare():
    settings = replace(SynthSettings.preset("clear"), camera=SynthSettings().camera)
    sample = synthesize(night_scene(3, (160, 160)), seed=2, settings=settings, size=(128, 128))
    np.testing.assert_array_equal(sample.input, sample.target)


def test_mist_of_the_scene_stays_in_the_target():
    plain = replace(SynthSettings.preset("clear"), camera=SynthSettings().camera)
    lifted = replace(plain, camera=replace(plain.camera, lift=(0.05, 0.05)))
    background = night_scene(3, (160, 160))
    first, second = (
        synthesize(background, seed=2, settings=s, size=(128, 128)) for s in (plain, lifted)
    )
    assert second.target.min() > 0.2
    assert first.target.min() < 0.1
    np.testing.assert_array_equal(second.input, second.target)


def test_a_colour_cast_meets_scene_and_flare_alike():
    settings = SynthSettings.preset("smeared")
    plain, cast_on = (
        replace(settings, background=replace(settings.background, cast=c)) for c in (0.0, 0.5)
    )
    background = night_scene(3, (160, 160))
    first, second = (
        synthesize(background, seed=4, settings=s, size=(128, 128)) for s in (plain, cast_on)
    )

    def colour(picture):
        dark = (first.input.max(axis=2) < 0.6) & (second.input.max(axis=2) < 0.6)
        return picture[dark].mean(axis=0) / picture[dark].mean()

    assert np.abs(colour(first.input) - colour(second.input)).max() > 0.05


def test_wave_optics_throw_light_across_the_wipe_too():
    """The power spectrum of a wiped pupil: a bow tie in the direction across its ridges."""
    size, fill = 256, 0.5
    x, y = coordinates(size, fill)
    open_pupil = iris(x, y, 0, 0.0, 3 * 2 / (size * fill))
    line = np.arange(size) - size // 2
    away = np.hypot(line[:, None], line[None, :])
    ring = (away > 8) & (away < 100)
    ratios = []
    for seed in range(9):
        angle = np.random.default_rng(seed).uniform(0, np.pi)  # the first thing a wipe draws
        image = point_spread(Pupil(open_pupil, wiped(np.random.default_rng(seed), x, y)))
        turn = np.arctan2(line[:, None], line[None, :]) - angle
        off = np.abs((turn + np.pi / 2) % np.pi - np.pi / 2)
        across, along = image[ring & (off < np.pi / 6)], image[ring & (off > np.pi / 3)]
        ratios.append(across.mean() / along.mean())
    assert min(ratios) > 1
    assert np.median(ratios) > 2
