"""Glow and halos: light that depends on the distance from its source only."""

import numpy as np

from semilar.flare.draws import Rng, log_uniform, uniform
from semilar.flare.sample import Floats
from semilar.flare.settings import GlowSettings, HaloSettings, VeilSettings

STEPS = 1024
REACH = 2.0
"""Profiles end at this many short sides from the source."""


def distances() -> Floats:
    """Distance, in short sides, of every step of a profile: quadratic, so dense near 0."""
    return np.float32(REACH) * np.linspace(0, 1, STEPS, dtype=np.float32) ** 2


def index_of(distance: Floats) -> np.ndarray:
    """Step of a profile for distances in short sides."""
    scaled = np.sqrt(distance * np.float32(1 / REACH)) * np.float32(STEPS - 1)
    return np.minimum(scaled, STEPS - 1).astype(np.int32)


def glow_profile(rng: Rng, settings: GlowSettings) -> Floats:
    """height / (1 + (r / core)^2)^(exponent / 2), bluer outside; (STEPS, 3), linear light."""
    core, exponent = log_uniform(rng, settings.core), uniform(rng, settings.exponent)
    shape = (1 + (distances() / np.float32(core)) ** 2) ** np.float32(-exponent / 2)
    blue = uniform(rng, (0, settings.blue)) * np.array([1.0, 0.3, -0.5], np.float32)
    outward = 1 - shape[:, None]
    light = np.float32(log_uniform(rng, settings.height)) * shape[:, None] * (1 - blue * outward)
    return light.astype(np.float32, copy=False)


def halo_profile(rng: Rng, settings: HaloSettings) -> Floats:
    """A ring, red outside, as small drops or a coating make it; (STEPS, 3), linear light."""
    radius = uniform(rng, settings.radius)
    width = np.float32(radius * uniform(rng, settings.width))
    channels = radius * np.array([1.06, 1.0, 0.94], np.float32)
    offset = (distances()[:, None] - channels) / width
    return np.float32(log_uniform(rng, settings.height)) * np.exp(-offset * offset)


def veil(rng: Rng, settings: VeilSettings, angle: Floats, distance: Floats) -> Floats:
    """Light of a hazy glass, uneven around the source; (H, W), linear light.

    `angle` is in full turns, `distance` in short sides.
    """
    reach, edge = log_uniform(rng, settings.reach), uniform(rng, settings.edge)
    height = log_uniform(rng, settings.height)
    light = np.exp(-((distance * np.float32(1 / reach)) ** np.float32(edge)))
    for lobes in (1, 2):
        share, start = np.float32(uniform(rng, (0, settings.uneven))), np.float32(rng.random())
        light *= 1 + share * np.cos(np.float32(2 * np.pi * lobes) * (angle - start))
    return light * np.float32(height)
