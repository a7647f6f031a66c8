"""Wavelengths to camera colours."""

from functools import lru_cache

import numpy as np

from semilar.flare.sample import Floats

# Peak and width (nm) of bell-shaped camera channels, close to common sensors' filters.
CHANNELS = ((610.0, 26.0), (540.0, 26.0), (460.0, 20.0))
GREEN = 540.0
FRINGE_STEPS, ORDERS = 8192, 40


@lru_cache(maxsize=8)
def camera_response(count: int) -> tuple[Floats, Floats]:
    """`count` wavelengths (nm) and the (count, 3) response, whose columns add up to 1."""
    wavelengths = np.linspace(400, 700, count, dtype=np.float32)
    peaks, widths = np.array(CHANNELS, np.float32).T
    response = np.exp(-0.5 * ((wavelengths[:, None] - peaks) / widths) ** 2)
    return wavelengths, response / response.sum(axis=0)


@lru_cache(maxsize=4)
def _fringe_table(steps: int, orders: int) -> Floats:
    """Colour of cos(2π n λg/λ) for green orders n from 0 to `orders`; (steps, 3)."""
    wavelengths, response = camera_response(31)
    n = np.linspace(0, orders, steps, dtype=np.float32)
    return np.cos(2 * np.pi * n[:, None] * (GREEN / wavelengths)) @ response


def interference(distance: Floats, period: float, contrast: float) -> Floats:
    """Colour along a line on which green orders lie `period` apart; (N, 3), mean near 1.

    Each wavelength has its own period, in proportion to its length, so the orders drift apart
    into rainbows and far out into white.
    """
    table = _fringe_table(FRINGE_STEPS, ORDERS)
    step = np.float32((FRINGE_STEPS - 1) / (ORDERS * period))
    index = np.minimum(distance * step + np.float32(0.5), FRINGE_STEPS - 1).astype(np.int32)
    return 1 + np.float32(contrast) * table[index]
