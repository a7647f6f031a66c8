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
    padded = np.pad(planes, ((0, 0), (radius, radius), (radius, radius)), mode="edge")
    height, width = planes.shape[1:]
    down = np.empty((len(planes), height, padded.shape[2]), np.float32)
    result = np.empty(planes.shape, np.float32)
    for plane, middle, out in zip(padded, down, result, strict=True):
        for start, stop in _blocks(height):
            part = band[: stop - start, : stop - start + 2 * radius]
            np.matmul(part, plane[start : stop + 2 * radius], out=middle[start:stop])
        for start, stop in _blocks(width):
            part = band[: stop - start, : stop - start + 2 * radius]
            out[:, start:stop] = middle[:, start : stop + 2 * radius] @ part.T
    return result


def _blocks(length: int) -> list[tuple[int, int]]:
    return [(start, min(start + BLOCK, length)) for start in range(0, length, BLOCK)]


def _band_matrix(kernel: Floats) -> Floats:
    """Rows hold the kernel, each one step further: (BLOCK, BLOCK + 2 radius)."""
    matrix = np.zeros((BLOCK, BLOCK + len(kernel) - 1), np.float32)
    for row in range(BLOCK):
        matrix[row, row : row + len(kernel)] = kernel
    return matrix
