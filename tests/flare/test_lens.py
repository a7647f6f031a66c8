"""Light sources, glow, halos, shimmer and ghosts of one shared lens."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from semilar.flare import SynthSettings, synthesize
from semilar.flare.frame import Frame, draw_frame
from semilar.flare.ghosts import add_ghost, draw_ghosts
from semilar.flare.lens import cast, draw_lens
from semilar.flare.lights import Glow, Light, draw_lights, find_lights, paint
from semilar.flare.radial import distances, glow_profile, halo_profile
from semilar.flare.scene import night_scene
from semilar.flare.settings import (
    GhostSettings,
    GlowSettings,
    HaloSettings,
    LensSettings,
    LightSettings,
    ShimmerSettings,
    StreakSettings,
    WaveSettings,
)
from semilar.flare.shimmer import ANGLES, ray_table

FRAME = Frame(160, 160, 160.0, (80.0, 80.0))
WHITE = np.full(3, 10, np.float32)
BARE = LensSettings(
    strength=(1.0, 1.0),
    glow=GlowSettings(probability=0.0),
    shimmer=ShimmerSettings(probability=0.0),
    streak=StreakSettings(probability=0.0),
    halo=HaloSettings(probability=0.0),
    ghost=GhostSettings(probability=0.0),
    wave=WaveSettings(probability=0.0),
)


def flare_of(settings, *lights, seed=0):
    lens = draw_lens(np.random.default_rng(seed), FRAME, settings)
    glare, streak = cast(lens, list(lights), FRAME)
    return glare + streak


@pytest.mark.parametrize("shape", ["disc", "tube", "cluster", "window"])
def test_every_shape_has_a_saturated_core_and_casts_flare(shape):
    settings = LightSettings(shapes=(shape,), count=(1, 1), radius=(0.03, 0.03), off_frame=0.0)
    for seed in range(5):
        canvas = np.zeros((160, 160, 3), np.float32)
        lights = draw_lights(np.random.default_rng(seed), FRAME, settings, canvas)
        assert len(lights) == {"disc": 1, "tube": 5, "window": 4}.get(shape, len(lights))
        inside = [s for s in lights if 2 < s.x < 157 and 2 < s.y < 157]
        for light in inside:
            assert (canvas[int(light.y), int(light.x)] >= 1).all()
        glow = (canvas.max(axis=2) > 0.01) & (canvas.max(axis=2) < 0.9)
        assert not inside or glow.any()


def test_off_frame_lights_paint_no_core():
    settings = LightSettings(count=(1, 1), off_frame=1.0, shapes=("disc",), glow=(0.0, 0.0))
    for seed in range(10):
        canvas = np.zeros((160, 160, 3), np.float32)
        [light] = draw_lights(np.random.default_rng(seed), FRAME, settings, canvas)
        assert not (0 <= light.x < 160 and 0 <= light.y < 160)


def test_the_same_lamp_painted_twice_adds():
    one, two = (np.zeros((50, 50, 3), np.float32) for _ in range(2))
    lamp = Light(25.0, 20.0, 3.0, WHITE)
    paint(one, lamp, Glow(0.3, 8.0))
    paint(two, lamp, Glow(0.3, 8.0))
    paint(two, lamp, Glow(0.3, 8.0))
    np.testing.assert_allclose(two, 2 * one, rtol=1e-5)
    assert one[20, 25, 0] == pytest.approx(10.3, rel=1e-3)


def test_bright_spots_of_a_photograph_are_found():
    scene = np.full((96, 96, 3), 0.1, np.float32)
    scene[34:38, 50:54] = 1.0
    scene[70:72, 10:12] = 0.95
    scene[5, 5] = 1.0  # a single hot pixel is no lamp
    found = find_lights(scene, 5, 7.0)
    for light in found:  # each within one of the two lamps
        assert (49 < light.x < 54 and 33 < light.y < 38) or (9 < light.x < 12 and 69 < light.y < 72)
    areas = sum(np.pi * s.radius**2 for s in found)
    assert areas == pytest.approx(16 + 4, rel=0.01)
    assert not find_lights(scene, 0, 7.0)


def test_the_light_of_clipped_lamps_is_told_by_what_they_spill():
    """Discs seen through a lens with wide tails, then clipped: only the tails still differ."""
    scene = np.full((128, 192, 3), 0.05, np.float32)
    sodium = np.array([1.0, 0.6, 0.3], np.float32)
    for x, radiance in ((36, 5.0), (100, 14.0)):
        paint(scene, Light(x, 36.0, 4.0, radiance * sodium), Glow(0.0, 1.0))
    spread = gaussian_filter(scene, (6, 6, 0))
    scene = np.clip(0.75 * scene + 0.25 * spread, 0, 1)
    scene[90:110, 140:170] = 0.97  # white paper: as clipped as a lamp, and spills nothing
    dim, bright = (
        _mean_surface(find_lights(scene, 40, 12.0), x) for x in (slice(20, 52), slice(84, 116))
    )
    paper = _mean_surface(find_lights(scene, 40, 12.0), slice(139, 171))
    assert bright[0] > 1.5 * dim[0] > 3 * paper[0]
    np.testing.assert_allclose(bright / bright.max(), sodium, atol=0.2)
    assert paper[0] < 2


def _mean_surface(lights: list[Light], where: slice) -> np.ndarray:
    surfaces = [light.radiance for light in lights if where.start < light.x < where.stop]
    return np.mean(surfaces, axis=0)


def test_glow_falls_off_with_its_exponent():
    settings = GlowSettings(core=(0.02, 0.02), exponent=(2.5, 2.5), height=(0.1, 0.1), blue=0.0)
    profile = glow_profile(np.random.default_rng(0), settings)
    distance = distances()
    far = (distance > 0.3) & (distance < 1)
    slope = np.polyfit(np.log(distance[far]), np.log(profile[far, 1]), 1)[0]
    assert slope == pytest.approx(-2.5, abs=0.03)
    assert profile[0, 1] == pytest.approx(0.1, rel=1e-3)


def test_halo_is_a_ring_with_red_outside():
    settings = HaloSettings(radius=(0.2, 0.2), width=(0.1, 0.1))
    profile = halo_profile(np.random.default_rng(0), settings)
    peaks = distances()[profile.argmax(axis=0)]
    assert peaks[0] > peaks[1] > peaks[2]
    assert peaks[1] == pytest.approx(0.2, abs=0.01)


def test_rays_of_a_shimmer_differ_in_length():
    settings = ShimmerSettings(rays=(60, 60), length=(0.2, 0.2))
    strength, length = ray_table(np.random.default_rng(1), settings)
    assert strength.shape == length.shape == (ANGLES,)
    assert strength.min() >= 0
    assert length.max() <= 0.2
    assert length.std() > 0.02


@pytest.mark.parametrize("part", ["glow", "shimmer", "halo", "wave", "streak", "ghost"])
def test_flare_is_linear_in_the_light_of_the_source(part):
    certain = replace(getattr(LensSettings(), part), probability=1.0)
    settings = replace(BARE, **{part: certain})
    lamp = Light(60.0, 50.0, 3.0, WHITE)
    once = flare_of(settings, lamp, seed=3)
    twice = flare_of(settings, Light(60.0, 50.0, 3.0, 2 * WHITE), seed=3)
    assert once.max() > 0
    np.testing.assert_allclose(twice, 2 * once, atol=2.5e-3)


@pytest.mark.parametrize("part", ["glow", "shimmer", "halo", "wave"])
def test_sources_share_one_lens(part):
    certain = replace(getattr(LensSettings(), part), probability=1.0)
    settings = replace(BARE, **{part: certain})
    here = flare_of(settings, Light(60.0, 60.0, 3.0, WHITE), seed=7)
    there = flare_of(settings, Light(80.0, 70.0, 3.0, WHITE), seed=7)
    np.testing.assert_allclose(there[10:, 20:], here[:-10, :-20], atol=1e-5)


def test_a_share_of_lenses_is_far_weaker_or_stronger():
    rng = np.random.default_rng(0)
    settings = replace(BARE, strength=(2.0, 2.0), extreme=0.25, extremes=(0.5, 4.0))
    factors = np.array([draw_lens(rng, FRAME, settings).strength for _ in range(2000)]) / 2
    rare = factors[factors != 1]
    assert len(rare) / len(factors) == pytest.approx(0.25, abs=0.03)
    assert 0.5 <= rare.min() < 0.52
    assert 3.8 < rare.max() <= 4.0
    assert np.median(rare) == pytest.approx(np.sqrt(2), rel=0.1)  # log-uniform


def test_ghosts_lie_on_the_line_through_the_optical_centre():
    light = Light(40.0, 60.0, 4.0, WHITE)
    settings = GhostSettings(count=(1, 1), radius=(0.05, 0.05), height=(0.1, 0.1), arc=0.0)
    seen = 0
    for seed in range(12):
        [ghost] = draw_ghosts(np.random.default_rng(seed), FRAME, settings)
        canvas = np.zeros((160, 160, 3), np.float32)
        add_ghost(canvas, ghost, light, FRAME, 1.0)
        bright = canvas.sum(axis=2)
        if not bright.any() or bright[[0, -1]].any() or bright[:, [0, -1]].any():
            continue
        seen += 1
        rows, columns = np.indices(bright.shape)
        x, y = (float((bright * at).sum() / bright.sum()) for at in (columns, rows))
        expected = 80 + ghost.place * (light.x - 80), 80 + ghost.place * (light.y - 80)
        assert (x, y) == pytest.approx(expected, abs=1.0)
    assert seen >= 5


def test_crescents_are_parts_of_the_ghost():
    light = Light(40.0, 60.0, 4.0, WHITE)
    settings = GhostSettings(count=(1, 1), radius=(0.12, 0.12), arc=1.0)
    [ghost] = draw_ghosts(np.random.default_rng(2), FRAME, settings)
    part, whole = (np.zeros((160, 160, 3), np.float32) for _ in range(2))
    add_ghost(part, ghost, light, FRAME, 1.0)
    add_ghost(whole, replace(ghost, bite=0.0), light, FRAME, 1.0)
    assert (part <= whole + 1e-6).all()
    assert 0.02 < part.sum() / whole.sum() < 0.8


def test_frame_places_the_centre_in_the_whole_photograph():
    for seed in range(50):
        frame = draw_frame(np.random.default_rng(seed), (100, 150), (0.4, 1.0))
        assert 100 <= frame.side <= 250
        slack = frame.side / 100
        assert 150 * (1 - slack / 2) - 1e-6 <= frame.centre[0] <= 150 * slack / 2 + 1e-6


def test_share_of_flare_free_samples():
    settings = replace(SynthSettings.preset("realistic"), flare_free=0.4)
    scene = night_scene(0, (48, 48))
    samples = [synthesize(scene, seed=s, settings=settings, size=(40, 40)) for s in range(300)]
    clean = [s for s in samples if not s.flare.any()]
    assert abs(len(clean) - 120) < 5 * (300 * 0.4 * 0.6) ** 0.5
    for sample in clean:
        np.testing.assert_array_equal(sample.input, sample.target)
        assert not (sample.mask[..., 0] > 0).any()
    assert sum((s.target >= 1).any() for s in clean) > len(clean) / 2  # with bright lights in them
