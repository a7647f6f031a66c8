"""Where and which way a picture is wrong, as colours."""

import numpy as np
from numpy.typing import NDArray

RANGE = 48  # levels of 255 at which the colour is full

# The way from right (nearly black) to wrong: too bright is flare left over, too dark is scene lost.
_BRIGHT = np.array([[14, 14, 18], [200, 80, 10], [255, 200, 60], [255, 250, 220]], np.float64)
_DARK = np.array([[14, 14, 18], [20, 90, 200], [70, 200, 255], [225, 250, 255]], np.float64)


def error_map(picture: NDArray, truth: NDArray) -> NDArray[np.uint8]:
    """The signed error of an encoded picture (H, W, 3), mean over channels, as colours.

    Warm where it is brighter than the truth, cold where it is darker, nearly black where it is
    right.
    """
    error = picture.astype(np.float64).mean(axis=2) - truth.astype(np.float64).mean(axis=2)
    if picture.dtype == np.uint16:
        error /= 257
    way = np.clip(np.abs(error) / RANGE, 0, 1) * (len(_BRIGHT) - 1)
    stops = np.arange(len(_BRIGHT))
    channels = [
        np.where(
            error >= 0, np.interp(way, stops, _BRIGHT[:, c]), np.interp(way, stops, _DARK[:, c])
        )
        for c in range(3)
    ]
    return np.round(np.stack(channels, axis=2)).astype(np.uint8)
