"""Gaussian blur in floats, as block-banded matrix products: its cost hardly grows with sigma."""

import math

import numpy as np

from semilar.flare.sample import Floats

BLOCK = 64


def gaussian_blur(planes: Floats, sigma: float) -> Floats:
    """Blur (C, H, W) *linear* planes; the border pixels are repeated outwards.

    The kernel ends at three sigma and adds up to 1, so light is conserved but at the borders.
    """
    radius = math.ceil(3 * sigma)
    kernel = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    band = _band_matrix((kernel / kernel.sum()).astype(np.float32))
    down = _along_rows(planes, band, radius)
    turned = np.ascontiguousarray(down.transpose(0, 2, 1))
    return np.ascontiguousarray(_along_rows(turned, band, radius).transpose(0, 2, 1))


def _band_matrix(kernel: Floats) -> Floats:
    """Rows hold the kernel, each one step further: (BLOCK, BLOCK + 2 radius)."""
    matrix = np.zeros((BLOCK, BLOCK + len(kernel) - 1), np.float32)
    for row in range(BLOCK):
        matrix[row, row : row + len(kernel)] = kernel
    return matrix


def _along_rows(planes: Floats, band: Floats, radius: int) -> Floats:
    """Filter the axis of rows, block by block."""
    height = planes.shape[1]
    padded = np.pad(planes, ((0, 0), (radius, radius), (0, 0)), mode="edge")
    result = np.empty_like(planes)
    for plane, out in zip(padded, result, strict=True):
        for top in range(0, height, BLOCK):
            rows = min(BLOCK, height - top)
            part = plane[top : top + rows + 2 * radius]
            np.matmul(band[:rows, : rows + 2 * radius], part, out=out[top : top + rows])
    return result
