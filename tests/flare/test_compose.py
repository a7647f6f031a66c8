"""Composition against a slow, obvious double loop, and conservation of linear light."""

import numpy as np
import pytest

from semilar.flare import SynthSettings, synthesize
from semilar.flare.compose import compose, encode, encode_table
from semilar.flare.sample import Layers
from semilar.flare.scene import night_scene

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
    sample = compose(scene, layers, GAMMA)
    spoiled, target, flare = slow_compose(scene, layers, GAMMA)
    np.testing.assert_allclose(sample.input, spoiled, atol=3e-4)
    np.testing.assert_allclose(sample.target, target, atol=3e-4)
    np.testing.assert_allclose(sample.flare, flare, atol=3e-4)


def test_composition_leaves_its_arguments_alone():
    rng = np.random.default_rng(2)
    scene, layers = rng.random((8, 9, 3), np.float32), some_layers(rng, (8, 9))
    before = [x.copy() for x in (scene, layers.light, layers.flare)]
    compose(scene, layers, GAMMA)
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
    settings = SynthSettings.preset("realistic")
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
