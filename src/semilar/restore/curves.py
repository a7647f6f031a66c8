"""Pixels of any type to linear light and back, fast enough for every pixel of a large photo.

8-bit codes go through tables in both directions. 16-bit codes come back through a table over the
square root of the light, interpolated: evaluating the curve's power for each pixel would cost more
than all the rest. Floats, and integers of 32 bits, go through the exact curve.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from semilar.photo import Floats, Pixels, linear_to_srgb, srgb_table, srgb_to_linear, white

_STEPS_8 = 65535  # at the dark end, where the curve is steepest, still 20 steps per 8-bit code
_STEPS = 8192


def decode(pixels: Pixels) -> Floats:
    """Encoded pixels to linear light, 1 for white; floats may lie outside of 0 and 1."""
    if pixels.dtype == np.uint8:
        return srgb_table(8).take(pixels, mode="clip")
    if pixels.dtype == np.uint16:
        return srgb_table(16).take(pixels, mode="clip")
    return srgb_to_linear(pixels if pixels.dtype.kind == "f" else pixels / white(pixels.dtype))


def encode(linear: Floats, dtype: np.dtype, *, brightest: Floats | None = None) -> Pixels:
    """Linear light, clipped to [0, 1], to encoded pixels of `dtype`, rounded; it is overwritten.

    For floats `brightest` may raise the limit of each value: files hold highlights above white.
    """
    if dtype == np.uint8:
        linear *= np.float32(_STEPS_8)
        return _codes_8().take(linear.astype(np.intp), mode="clip")
    np.clip(linear, 0, 1 if brightest is None else np.maximum(brightest, 1), out=linear)
    if dtype == np.uint16:
        codes = encoded(linear)
        codes *= np.float32(65535)
        codes += np.float32(0.5)
        return codes.astype(np.uint16)
    if dtype.kind == "f":
        return linear_to_srgb(linear).astype(dtype, copy=False)
    codes = np.rint(linear_to_srgb(linear).astype(np.float64) * white(dtype))
    return codes.astype(dtype)


def encoded(linear: Floats) -> Floats:
    """Linear light in [0, 1] to encoded floats, to less than 1e-6; `linear` is overwritten."""
    start, rise = _lines()
    position = np.sqrt(linear, out=linear)
    position *= np.float32(_STEPS)
    step = position.astype(np.uint16)
    position -= step
    position *= rise.take(step, mode="clip")
    position += start.take(step, mode="clip")
    return position


@lru_cache(maxsize=1)
def _codes_8() -> NDArray[np.uint8]:
    """The code of each step of light, of its middle: steps are counted by cutting, not rounding."""
    light = np.minimum((np.arange(_STEPS_8 + 1) + 0.5) / _STEPS_8, 1)
    return np.rint(linear_to_srgb(light) * 255).astype(np.uint8)


@lru_cache(maxsize=1)
def _lines() -> tuple[Floats, Floats]:
    """Encoded values at equal steps of the root of the light, and the rise to the next."""
    root = np.arange(_STEPS + 2, dtype=np.float64) / _STEPS
    values = linear_to_srgb(np.minimum(root**2, 1)).astype(np.float64)
    return values[:-1].astype(np.float32), np.diff(values).astype(np.float32)
