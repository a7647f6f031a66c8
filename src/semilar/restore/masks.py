"""A mask that limits the effect to a region of the photo."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semilar import photo as photos
from semilar.errors import PhotoError


def fit_mask(mask: Any, size: tuple[int, int]) -> NDArray[np.uint8]:
    """A mask for a photo of (height, width) `size`: 0 leaves a pixel alone, 255 takes all.

    `mask` is a picture's path or an array (H, W) of bool, uint8, or float in [0, 1]. One of another
    size is scaled, if its shape is the photo's.
    """
    values = _read(mask) if isinstance(mask, str | Path) else _of_array(np.asarray(mask))
    if values.shape == size:
        return values
    height, width = values.shape
    if abs(height / width / (size[0] / size[1]) - 1) > 0.02:
        raise PhotoError(
            f"The mask of {width} x {height} pixels has another shape than the photo of "
            f"{size[1]} x {size[0]}."
        )
    from PIL import Image

    scaled = Image.fromarray(values).resize((size[1], size[0]), Image.Resampling.BILINEAR)
    return np.asarray(scaled)


def _read(path: str | Path) -> NDArray[np.uint8]:
    return photos.to_depth(photos.read(path).pixels.max(axis=2), 8)


def _of_array(array: NDArray[Any]) -> NDArray[np.uint8]:
    if array.ndim != 2 or (array.dtype.kind not in "bf" and array.dtype != np.uint8):
        raise PhotoError(
            f"A mask is (H, W) of bool, uint8 or float; this is {array.shape} {array.dtype}."
        )
    if array.dtype == np.uint8:
        return array
    return np.rint(np.clip(array.astype(np.float32), 0, 1) * 255).astype(np.uint8)
