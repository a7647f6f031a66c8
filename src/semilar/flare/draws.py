"""Random draws from ranges."""

import math

import numpy as np

from semilar.flare.limits import Range

Rng = np.random.Generator


def uniform(rng: Rng, bounds: Range) -> float:
    """Uniform between the two bounds."""
    return float(rng.uniform(*bounds))


def log_uniform(rng: Rng, bounds: Range) -> float:
    """Uniform in the logarithm: every octave is as likely as the next."""
    low, high = bounds
    return low * math.exp(rng.random() * math.log(high / low))


def integer(rng: Rng, bounds: tuple[int, int]) -> int:
    """A whole number between the two bounds, both included."""
    return int(rng.integers(bounds[0], bounds[1] + 1))


def log_integer(rng: Rng, bounds: tuple[int, int]) -> int:
    """A whole number between the two bounds, both included: small ones are likelier."""
    return min(int(log_uniform(rng, (bounds[0], bounds[1] + 1))), bounds[1])


def chance(rng: Rng, probability: float) -> bool:
    """True with that probability."""
    return bool(rng.random() < probability)
