"""Encoded and linear light.

*Encoded* values are what files hold: the sRGB curve of IEC 61966-2-1 has been applied. *Linear*
values are proportional to light, the only place where flare adds. The synthesis protocol of the
paper (appendix B, "inverse gamma correction") uses a plain power instead of the sRGB curve: that is
`semilar.flare.background.power_table`.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
"""Pictures of light; float32 everywhere, though type checkers lose that along the way."""

# The published constants of the sRGB standard.
_CUT_ENCODED, _CUT_LINEAR = 0.04045, 0.0031308
_SLOPE, _OFFSET, _POWER = 12.92, 0.055, 2.4


def srgb_to_linear(encoded: NDArray[np.floating]) -> Floats:
    """Encoded floats in [0, 1] to linear light, by the exact sRGB curve.

    >>> float(srgb_to_linear(np.array([0.5]))[0])  # doctest: +ELLIPSIS
    0.21404...
    """
    x = np.asarray(encoded, np.float64)
    high = ((np.maximum(x, _CUT_ENCODED) + _OFFSET) / (1 + _OFFSET)) ** _POWER
    return np.where(x <= _CUT_ENCODED, x / _SLOPE, high).astype(np.float32)


def linear_to_srgb(linear: NDArray[np.floating]) -> Floats:
    """Linear light in [0, 1] to encoded floats, the inverse of `srgb_to_linear`."""
    x = np.asarray(linear, np.float64)
    high = (1 + _OFFSET) * np.maximum(x, _CUT_LINEAR) ** (1 / _POWER) - _OFFSET
    return np.where(x <= _CUT_LINEAR, x * _SLOPE, high).astype(np.float32)


@lru_cache(maxsize=2)
def srgb_table(depth: int) -> Floats:
    """Linear light of every encoded code of `depth` bits (8 or 16): index with the pixels."""
    codes = np.arange(2**depth, dtype=np.float64) / (2**depth - 1)
    table = srgb_to_linear(codes)
    table.setflags(write=False)
    return table
