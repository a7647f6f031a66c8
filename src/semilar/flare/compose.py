"""Composition: scene, light sources and flare add in linear light; then clip and encode."""

import io

import numpy as np
from PIL import Image

from semilar.flare.background import noise
from semilar.flare.draws import Rng, chance, integer, uniform
from semilar.flare.masks import draw_mask
from semilar.flare.sample import Floats, Layers, Sample
from semilar.flare.settings import CameraSettings

CODES = 4096
LUMINANCE = np.array([0.2126, 0.7152, 0.0722], np.float32)
"""Of *linear* red, green and blue."""


def compose(
    rng: Rng, scene: Floats, layers: Layers, gamma: float, camera: CameraSettings
) -> Sample:
    """Put a sample together from a *linear* scene in [0, 1] and *linear* layers."""
    target = scene + layers.light + np.float32(_mostly_little(rng, camera.lift))
    mixing = uniform(rng, camera.mixing) if camera.mixing[1] > 0 else 0.0
    spoiled = mixed(target, layers.flare, mixing) if mixing else target + layers.flare
    shot = uniform(rng, camera.shot)
    if shot > 0:
        grain = noise(rng, spoiled.size).reshape(spoiled.shape)
        spoiled += grain * np.sqrt(layers.flare * np.float32(shot))
    flare = layers.flare.copy()
    develop(rng, target, spoiled, flare, camera)
    for picture in (spoiled, target, flare):
        np.clip(picture, 0, 1, out=picture)
    mask = draw_mask(layers, target)
    table = encode_table(gamma, uniform(rng, camera.contrast))
    spoiled, target = encode(spoiled, table), encode(target, table)
    if chance(rng, camera.jpeg):
        quality = integer(rng, camera.quality)
        spoiled, target = compressed(spoiled, quality), compressed(target, quality)
    return Sample(spoiled, target, encode(flare, table), mask)


def mixed(scene: Floats, flare: Floats, steepness: float) -> Floats:
    """Scene and flare, *linear* light, weighed by the flare's brightness (Zhou et al., ICCV 2023).

    A camera's tone mapping keeps both from clipping: w = σ(a (I - 1/2)), stretched to 0..1 over the
    picture, and the result is (1 - w) scene + w flare.
    """
    scene, flare = np.clip(scene, 0, 1), np.clip(flare, 0, 1)
    bright = flare.mean(axis=2, keepdims=True)
    weight = 1 / (1 + np.exp(-np.float32(steepness) * (bright - np.float32(0.5))))
    weight -= weight.min()
    weight /= max(float(weight.max()), 1e-6)
    return scene + (flare - scene) * weight


def develop(
    rng: Rng, target: Floats, spoiled: Floats, flare: Floats, camera: CameraSettings
) -> None:
    """Give *linear* pictures of one scene, and its flare, a camera's colours and black, in place.

    They can fall below zero: what is black in the scene need not be black under the flare.
    """
    if camera.saturation[1] > 0:
        colourful = np.float32(uniform(rng, camera.saturation))
        for picture in (target, spoiled, flare):
            picture += colourful * (picture - (picture @ LUMINANCE)[..., None])
    if camera.black[1] > 0:
        share = _mostly_little(rng, camera.black)
        level = np.quantile((target @ LUMINANCE)[::4, ::4], share)
        for picture in (target, spoiled):
            picture -= np.float32(max(float(level), 0.0))


def _mostly_little(rng: Rng, limits: tuple[float, float]) -> float:
    """Between two limits by the square of an even draw."""
    low, high = limits
    return low + (high - low) * float(rng.random()) ** 2


def encode_table(gamma: float, contrast: float = 0.0) -> Floats:
    """Encoded values for equally spaced square roots of linear light.

    `contrast` bends them into the S that cameras give their pictures: y + c y (1 - y) (2 y - 1).
    """
    y = np.linspace(0, 1, CODES) ** (2 / gamma)
    return (y + contrast * y * (1 - y) * (2 * y - 1)).astype(np.float32)


def compressed(picture: Floats, quality: int) -> Floats:
    """An *encoded* picture in [0, 1] after JPEG of that quality, colours at half size."""
    codes = (picture * np.float32(255) + np.float32(0.5)).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(codes).save(buffer, "JPEG", quality=quality)
    with Image.open(buffer) as decoded:
        return np.asarray(decoded, np.float32) * np.float32(1 / 255)


def encode(linear: Floats, table: Floats) -> Floats:
    """*Linear* light in [0, 1] to *encoded* by a table; exact to half a 12-bit step of the root."""
    index = (np.sqrt(linear) * np.float32(CODES - 1) + np.float32(0.5)).astype(np.int16)
    return np.take(table, index, mode="clip")
