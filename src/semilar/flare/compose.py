"""Composition: scene, light sources and flare add in linear light; then clip and encode."""

import numpy as np

from semilar.flare.masks import draw_mask
from semilar.flare.sample import Floats, Layers, Sample

CODES = 4096


def compose(scene: Floats, layers: Layers, gamma: float) -> Sample:
    """Put a sample together from a *linear* scene in [0, 1] and *linear* layers."""
    target = scene + layers.light
    spoiled = np.clip(target + layers.flare, 0, 1)
    np.clip(target, 0, 1, out=target)
    flare = np.clip(layers.flare, 0, 1)
    mask = draw_mask(layers, target)
    table = encode_table(gamma)
    return Sample(encode(spoiled, table), encode(target, table), encode(flare, table), mask)


def encode_table(gamma: float) -> Floats:
    """Encoded values for equally spaced square roots of linear light."""
    return (np.linspace(0, 1, CODES) ** (2 / gamma)).astype(np.float32)


def encode(linear: Floats, table: Floats) -> Floats:
    """*Linear* light in [0, 1] to *encoded* by a table; exact to half a 12-bit step of the root."""
    index = (np.sqrt(linear) * np.float32(CODES - 1) + np.float32(0.5)).astype(np.int16)
    return np.take(table, index, mode="clip")
