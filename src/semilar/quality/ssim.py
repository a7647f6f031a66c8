"""Structural similarity (Wang et al. 2004), as scikit-image's defaults give it.

The published tables use a 7 x 7 uniform window, the sample covariance, each channel by itself and
the mean over all places where the whole window lies inside the picture.
"""

import numpy as np
from numpy.typing import NDArray

from semilar.errors import SemilarError
from semilar.quality.picture_pair import Picture, as_levels

_WINDOW = 7
_C1 = (0.01 * 255) ** 2
_C2 = (0.03 * 255) ** 2


def ssim(picture: Picture, truth: Picture) -> float:
    """Mean structural similarity of two encoded pictures of at least 7 x 7 pixels.

    >>> ramp = np.arange(256, dtype=np.uint8).reshape(16, 16)
    >>> ssim(ramp, ramp)
    1.0
    """
    a, b = as_levels(picture, truth)
    if min(a.shape[:2]) < _WINDOW:
        raise SemilarError(f"SSIM needs pictures of at least {_WINDOW} x {_WINDOW} pixels.")
    planes = [(a, b)] if a.ndim == 2 else [(a[..., c], b[..., c]) for c in range(a.shape[2])]
    return float(np.mean([_ssim_plane(x, y) for x, y in planes]))


def _ssim_plane(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    sample = _WINDOW**2 / (_WINDOW**2 - 1)  # from the mean of squares to the sample covariance
    mean_x, mean_y = _window_mean(x), _window_mean(y)
    product, squares = mean_x * mean_y, mean_x**2 + mean_y**2
    covariance = sample * (_window_mean(x * y) - product)
    variances = sample * (_window_mean(x * x + y * y) - squares)
    luminance = (2 * product + _C1) / (squares + _C1)
    structure = (2 * covariance + _C2) / (variances + _C2)
    return float(np.mean(luminance * structure))


def _window_mean(plane: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of every whole window, by running sums (exact for integers in float64)."""
    down = np.cumsum(plane, axis=0)
    down[_WINDOW:] -= down[:-_WINDOW]
    across = np.cumsum(down[_WINDOW - 1 :], axis=1)
    across[:, _WINDOW:] -= across[:, :-_WINDOW]
    return across[:, _WINDOW - 1 :] / _WINDOW**2
