"""Shimmer: fine rays in all directions whose length and strength vary with the angle."""

import numpy as np

from semilar.flare.draws import Rng, integer, log_uniform, uniform
from semilar.flare.sample import Floats
from semilar.flare.settings import ShimmerSettings

ANGLES = 2048


def ray_table(rng: Rng, settings: ShimmerSettings) -> tuple[Floats, Floats]:
    """For every angle the strength of the light and the length of the ray, each (ANGLES,).

    Lengths are in short sides.
    """
    rays = integer(rng, settings.rays)
    length = uniform(rng, settings.length)
    strength = np.zeros(ANGLES, np.float32)
    lengths = np.full(ANGLES, length * 0.3, np.float32)
    spots = rng.integers(0, ANGLES, rays)
    widths = rng.integers(1, 9, rays)
    powers = rng.random(rays) ** 2
    reaches = length * rng.uniform(0.3, 1.0, rays)
    kernel = np.arange(-24, 25)
    for spot, width, power, reach in zip(spots, widths, powers, reaches, strict=True):
        where = (spot + kernel) % ANGLES
        bump = np.exp(-((kernel / width) ** 2)).astype(np.float32)
        strength[where] += np.float32(power) * bump
        lengths[where] = np.maximum(lengths[where], np.float32(reach) * bump)
    return strength * np.float32(log_uniform(rng, settings.height)), lengths


def shimmer(table: tuple[Floats, Floats], angle: Floats, distance: Floats) -> Floats:
    """Light of the rays around the source, (H, W); `angle` in full turns, `distance` in short
    sides."""
    strength, length = table
    index = (angle * np.float32(ANGLES)).astype(np.int32) & (ANGLES - 1)
    return strength[index] * np.exp(-distance / length[index])
