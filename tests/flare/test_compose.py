"""Composition against a slow, obvious double loop, and conservation of linear light."""

from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from semilar.flare import SynthSettings, synthesize
from semilar.flare.compose import compose, compressed, encode, encode_table, mixed
from semilar.flare.draws import Rng
from semilar.flare.sample import Layers
from semilar.flare.scene import night_scene
from semilar.flare.settings import CameraSettings

GAMMA = 2.1


def some_layers(rng, size):
    light = np.where(rng.random((*size, 3)) > 0.9, 5, 0).astype(np.float32)
    flare = (rng.random((*size, 3), np.float32) ** 3).astype(np.float32)
    return Layers(light, flare, rng.random(size) > 0.8)


def slow_compose(scene, layers, gamma):
    height, width, _ = scene.shape
    pictures = [np.zeros_like(scene, float) for _ in range(3)]
    for row in range(height):
        for column in range(width):
            for channel in range(3):
                at = (row, column, channel)
                target = float(scene[at]) + float(layers.light[at])
                flare = float(layers.flare[at])
                for picture, value in zip(pictures, (target + flare, target, flare), strict=True):
                    picture[at] = min(max(value, 0.0), 1.0) ** (1 / gamma)
    return pictures


def test_equals_the_double_loop():
    rng = np.random.default_rng(0)
    scene = rng.random((12, 17, 3), np.float32)
    layers = some_layers(rng, (12, 17))
    sample = compose(rng, scene, layers, GAMMA, CameraSettings())
    spoiled, target, flare = slow_compose(scene, layers, GAMMA)
    np.testing.assert_allclose(sample.input, spoiled, atol=3e-4)
    np.testing.assert_allclose(sample.target, target, atol=3e-4)
    np.testing.assert_allclose(sample.flare, flare, atol=3e-4)


def test_composition_leaves_its_arguments_alone():
    rng = np.random.default_rng(2)
    scene, layers = rng.random((8, 9, 3), np.float32), some_layers(rng, (8, 9))
    before = [x.copy() for x in (scene, layers.light, layers.flare)]
    compose(rng, scene, layers, GAMMA, CameraSettings())
    for old, new in zip(before, (scene, layers.light, layers.flare), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("gamma", [1.8, 2.0, 2.2])
def test_encoding_by_table_is_the_power(gamma):
    linear = np.concatenate([np.linspace(0, 1, 5000), [1e-4, 1e-5]]).astype(np.float32)
    exact = linear.astype(float) ** (1 / gamma)
    np.testing.assert_allclose(encode(linear, encode_table(gamma)), exact, atol=3e-4)


@pytest.mark.parametrize("seed", range(12))
def test_linear_light_is_conserved_through_a_whole_sample(seed):
    background = night_scene(1, (140, 140))
    settings = replace(SynthSettings.preset("realistic"), camera=CameraSettings(lift=(0.0, 0.02)))
    sample = synthesize(background, seed=seed, settings=settings, size=(128, 128))
    gamma = np.random.default_rng(seed).uniform(*settings.background.gamma)
    spoiled, target, flare = (
        x.astype(float) ** gamma for x in (sample.input, sample.target, sample.flare)
    )
    open_pixels = spoiled < 0.999
    np.testing.assert_allclose(spoiled[open_pixels], (target + flare)[open_pixels], atol=2.5e-3)
    assert (sample.input >= sample.target).all()


@pytest.mark.parametrize("seed", range(8))
def test_saturated_lights_of_the_target_stay_saturated_in_the_input(seed):
    settings = SynthSettings.preset("strong")
    sample = synthesize(night_scene(2, (160, 160)), seed=seed, settings=settings, size=(128, 128))
    full = sample.target >= 1
    assert full.any()
    assert (sample.input[full] >= 1).all()


def test_the_tone_curve_keeps_black_white_and_the_order():
    table = encode_table(2.2, 0.7)
    assert table[0] == 0
    assert table[-1] == 1
    assert (np.diff(table) >= 0).all()
    plain = encode_table(2.2)
    assert (table[plain < 0.45] <= plain[plain < 0.45]).all()
    assert (table[plain > 0.55] >= plain[plain > 0.55]).all()


def test_flare_brings_its_own_noise_and_the_target_has_none_of_it():
    rng = np.random.default_rng(3)
    scene = np.full((64, 64, 3), 0.1, np.float32)
    flare = np.zeros_like(scene)
    flare[:, 32:] = 0.3
    layers = Layers(np.zeros_like(scene), flare, np.zeros((64, 64), bool))
    sample = compose(rng, scene, layers, 1.0, CameraSettings(shot=(0.002, 0.002)))
    assert sample.input[:, :32].std() < 1e-3
    assert sample.input[:, 32:].std() == pytest.approx((0.002 * 0.3) ** 0.5, rel=0.1)
    assert sample.target.std() < 1e-3


def test_compression_is_that_of_jpeg_and_meets_input_and_target_alike():
    rng = np.random.default_rng(4)
    scene = rng.random((48, 40, 3), np.float32)
    layers = Layers(np.zeros_like(scene), np.zeros_like(scene), np.zeros((48, 40), bool))
    camera = CameraSettings(jpeg=1.0, quality=(30, 30))
    sample = compose(rng, scene, layers, GAMMA, camera)
    plain = compose(rng, scene, layers, GAMMA, CameraSettings())
    np.testing.assert_array_equal(sample.input, sample.target)  # no flare: the same picture
    np.testing.assert_array_equal(sample.input, compressed(plain.input, 30))
    assert 0.01 < np.abs(sample.input - plain.input).mean() < 0.25


def test_tone_mapped_composition_puts_bright_flare_in_the_place_of_the_scene():
    scene = np.full((4, 5, 3), 0.3, np.float32)
    flare = np.zeros_like(scene)
    flare[1, 2], flare[2, 2] = 1.0, 0.5
    found = mixed(scene, flare, 5.0)
    low, middle, high = (1 / (1 + np.exp(-5.0 * (x - 0.5))) for x in (0.0, 0.5, 1.0))
    weight = (middle - low) / (high - low)
    np.testing.assert_allclose(found[0], scene[0], atol=1e-6)
    np.testing.assert_allclose(found[1, 2], 1.0, atol=1e-6)
    np.testing.assert_allclose(found[2, 2], 0.3 + weight * 0.2, atol=1e-6)
    np.testing.assert_allclose(mixed(scene, 0 * flare, 5.0), scene, atol=1e-6)


def test_mixing_is_a_setting_of_the_camera():
    rng = np.random.default_rng(0)
    scene, layers = rng.random((12, 17, 3), np.float32), some_layers(rng, (12, 17))
    plain, tone_mapped = (
        compose(np.random.default_rng(1), scene, layers, GAMMA, camera).input
        for camera in (CameraSettings(), CameraSettings(mixing=(5.0, 5.0)))
    )
    assert tone_mapped.mean() < plain.mean()


def dark_scene(rng, size):
    return (rng.random((*size, 3)) ** 3 * [0.3, 0.15, 0.05]).astype(np.float32)


def test_saturation_is_the_distance_from_grey_in_both_pictures():
    rng = np.random.default_rng(3)
    scene, layers = dark_scene(rng, (16, 20)), some_layers(rng, (16, 20))
    plain = compose(rng, scene, layers, GAMMA, CameraSettings())
    more = compose(rng, scene, layers, GAMMA, CameraSettings(saturation=(0.5, 0.5)))
    layers.light[:] = 0
    for name, light in (("target", scene), ("flare", layers.flare)):
        grey = light.astype(float) @ [0.2126, 0.7152, 0.0722]
        expected = grey[..., None] + 1.5 * (light - grey[..., None])
        found = getattr(more, name).astype(float) ** GAMMA
        dark = getattr(plain, name).max(axis=2) < 0.95  # no lamp
        np.testing.assert_allclose(found[dark], expected.clip(0, 1)[dark], atol=2e-3)
    assert (more.target == 0).mean() > (plain.target == 0).mean() + 0.1


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_a_share_of_the_scene_is_black_and_flare_lifts_it(share):
    class Highest:
        """Draws the upper end of every range."""

        def random(self):
            return 1.0

        def uniform(self, low, high):
            return high

    rng = np.random.default_rng(4)
    scene, layers = dark_scene(rng, (64, 64)), some_layers(rng, (64, 64))
    layers.light[:] = 0
    layers.flare[:] += 0.2
    black = compose(cast(Rng, Highest()), scene, layers, GAMMA, CameraSettings(black=(0.0, share)))
    level = np.quantile(scene @ np.array([0.2126, 0.7152, 0.0722], np.float32), share)
    below = (scene <= level).all(axis=2)
    assert (black.target[below] == 0).all()
    assert (black.input[below] > 0).all(), "the flare is there"
    open_pixels = (scene > level + 0.01).all(axis=2)
    np.testing.assert_allclose(
        black.target[open_pixels] ** GAMMA, scene[open_pixels] - level, atol=0.01
    )
    flared = scene + layers.flare - level
    unclipped = (flared > 0.01).all(axis=2) & (flared < 0.95).all(axis=2)
    np.testing.assert_allclose(black.input[unclipped] ** GAMMA, flared[unclipped], atol=0.01)
