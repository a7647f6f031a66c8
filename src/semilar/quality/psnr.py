"""Peak signal-to-noise ratio, as scikit-image computes it for the published tables."""

import math

import numpy as np

from semilar.quality.picture_pair import Picture, as_levels


def psnr(picture: Picture, truth: Picture) -> float:
    """10 log10(255² / MSE) in dB over all pixels and channels of two encoded pictures.

    Equal pictures give infinity.

    >>> grey = np.full((8, 8, 3), 100, np.uint8)
    >>> round(psnr(grey, grey + 5), 3)
    34.151
    """
    a, b = as_levels(picture, truth)
    return from_mse(float(np.mean((a - b) ** 2)))


def from_mse(mse: float) -> float:
    """PSNR in dB of a mean squared error on the 0 to 255 scale."""
    return math.inf if mse == 0 else 10 * math.log10(255**2 / mse)
