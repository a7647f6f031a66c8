"""What all full-reference metrics ask of the two pictures they compare."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from semilar.errors import SemilarError

Picture = NDArray[Any]  # (H, W, 3) or (H, W), encoded: uint8, uint16, or floats in [0, 1]


def as_levels(first: Picture, second: Picture) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Both pictures as float64 on the 0 to 255 scale of the published tables.

    8-bit values stay exactly what they are; 16-bit values and floats are scaled, not rounded.
    """
    if first.shape != second.shape:
        raise SemilarError(
            f"The pictures differ in size: {_size(first)} and {_size(second)} pixels."
        )
    return _levels(first), _levels(second)


def _levels(picture: Picture) -> NDArray[np.float64]:
    if picture.dtype == np.uint8:
        return picture.astype(np.float64)
    if picture.dtype == np.uint16:
        return picture / 257.0
    if picture.dtype.kind == "f":
        return picture.astype(np.float64) * 255.0
    raise SemilarError(f"Pictures must be uint8, uint16 or floats in [0, 1], not {picture.dtype}.")


def _size(picture: Picture) -> str:
    return " x ".join(str(n) for n in picture.shape[1::-1])
