"""A camera's pupil as light meets it: iris blades, dust, scratches, smears, fingerprints, phase.

A pupil is a complex picture (N, N): how much light passes, and by how much it is delayed. Phase
errors are given as delays in waves of green light; another wavelength sees them scaled.
"""

from dataclasses import dataclass

import numpy as np

from semilar.flare.draws import Rng, chance, integer, uniform
from semilar.flare.sample import Floats
from semilar.flare.scene import clouds


@dataclass(frozen=True)
class Pupil:
    """What stands in the way of the light, (N, N) each."""

    amplitude: Floats
    """Share of the field that passes, 0 to 1."""
    delay: Floats
    """Optical path difference in waves of green light."""


def coordinates(size: int, fill: float) -> tuple[Floats, Floats]:
    """x and y on the pupil, (1, N) and (N, 1); the pupil's edge is at 1, the grid's at 1/fill."""
    line = (np.arange(size, dtype=np.float32) - size // 2) / np.float32(size * fill / 2)
    return line[None, :], line[:, None]


def iris(x: Floats, y: Floats, blades: int, turn: float, softness: float) -> Floats:
    """An opening with that many blades (0 is a circle), with a soft edge."""
    radius = np.sqrt(x * x + y * y)
    if blades:
        angle = turn + np.arange(blades) * (2 * np.pi / blades)
        sides = [np.float32(np.cos(a)) * x + np.float32(np.sin(a)) * y for a in angle]
        radius = np.maximum(np.max(sides, axis=0) / np.float32(np.cos(np.pi / blades)), radius)
    return np.clip((1 - radius) / np.float32(softness) + np.float32(0.5), 0, 1)


def zernike(x: Floats, y: Floats, waves: Floats) -> Floats:
    """Defocus, two astigmatisms, two comas and spherical aberration of that many waves each."""
    r2 = x * x + y * y
    terms = (
        2 * r2 - 1,
        x * x - y * y,
        2 * x * y,
        (3 * r2 - 2) * x,
        (3 * r2 - 2) * y,
        6 * r2 * r2 - 6 * r2 + 1,
    )
    return sum((w * t for w, t in zip(waves, terms, strict=True)), np.zeros_like(r2))


def draw_pupil(rng: Rng, size: int, fill: float) -> Pupil:
    """A pupil with a random share of everything that makes night photographs flare."""
    x, y = coordinates(size, fill)
    blades = int(rng.choice([0, 0, 5, 6, 7, 8, 9]))
    step = 2 / (size * fill)
    amplitude = iris(x, y, blades, uniform(rng, (0, 2 * np.pi)), 3 * step)
    delay = zernike(x, y, rng.normal(0, 0.15, 6).astype(np.float32))
    amplitude = amplitude * _dust(rng, x, y, integer(rng, (0, 60)))
    for _ in range(integer(rng, (0, 25))):
        amplitude = amplitude * _scratch(rng, x, y)
    if chance(rng, 0.6):
        delay = delay + _smear(rng, x, y)
    if chance(rng, 0.3):
        delay = delay + _fingerprint(rng, x, y)
    return Pupil(amplitude.astype(np.float32), delay.astype(np.float32))


def _dust(rng: Rng, x: Floats, y: Floats, grains: int) -> Floats:
    """Small spots that dim the light."""
    passed = np.ones(np.broadcast_shapes(x.shape, y.shape), np.float32)
    for _ in range(grains):
        radius = np.float32(0.01 + 0.05 * rng.random() ** 3)
        cx, cy = rng.uniform(-1, 1, 2).astype(np.float32)
        spot = ((x - cx) ** 2 + (y - cy) ** 2) < radius**2
        passed[spot] *= np.float32(uniform(rng, (0.0, 0.7)))
    return passed


def _scratch(rng: Rng, x: Floats, y: Floats) -> Floats:
    """A thin line that dims the light."""
    angle = uniform(rng, (0, np.pi))
    across = np.float32(np.cos(angle)) * x + np.float32(np.sin(angle)) * y
    offset = (across - np.float32(uniform(rng, (-1, 1)))) / np.float32(uniform(rng, (0.008, 0.02)))
    return 1 - np.float32(uniform(rng, (0.2, 0.9))) * np.exp(-offset * offset)


def _smear(rng: Rng, x: Floats, y: Floats) -> Floats:
    """Grease wiped in one direction: delays that vary fast across and slowly along the wipe.

    A phase grating with a broad spectrum: it throws light to both sides across the wipe, into a fan
    as wide as its ridges turn on their way (`semilar.flare.smear` draws the same figure quickly).
    """
    angle = uniform(rng, (0, np.pi))
    across = np.float32(np.cos(angle)) * x + np.float32(np.sin(angle)) * y
    waviness = clouds(rng, (x.size, x.size), cells=2, octaves=2) - np.float32(0.5)
    position = across + np.float32(0.1) * waviness
    course = np.cumsum(rng.normal(0, 1, 512)) / 12 + rng.normal(0, 0.5, 512)
    steps = np.clip((position + 2) * 128, 0, 511).astype(np.int32)
    return course.astype(np.float32)[steps] * np.float32(uniform(rng, (0.02, 0.2)))


def _fingerprint(rng: Rng, x: Floats, y: Floats) -> Floats:
    """Curved ridges of grease in a part of the pupil."""
    cx, cy = rng.uniform(-0.6, 0.6, 2).astype(np.float32)
    warp = clouds(rng, (x.size, x.size), cells=2, octaves=3) - np.float32(0.5)
    distance = np.sqrt((x - cx) ** 2 + (y - cy) ** 2) + np.float32(0.4) * warp
    ridges = np.sin(distance * np.float32(2 * np.pi * uniform(rng, (8, 20))))
    area = np.clip(1.2 - distance / np.float32(uniform(rng, (0.5, 1.2))), 0, 1)
    return ridges * area * np.float32(uniform(rng, (0.02, 0.12)))
