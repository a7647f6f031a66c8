"""The size at which the network sees a photograph."""

from math import sqrt

from semilar.weights import WORKING_SIZE

MOST_PIXELS = 2**20
"""Panoramas are held to this many pixels, so that a long side does not cost minutes."""


def working_size(
    size: tuple[int, int], *, side: int = WORKING_SIZE, most_pixels: int = MOST_PIXELS
) -> tuple[int, int]:
    """(height, width) for a photo of (height, width) `size`: whole, aspect kept, never enlarged.

    `side` is for the shorter one.

    >>> working_size((3000, 4000))
    (512, 683)
    >>> working_size((300, 400))
    (300, 400)
    >>> working_size((1000, 20000))
    (229, 4579)
    """
    height, width = size
    shrink = min(1.0, side / min(size), sqrt(most_pixels / (height * width)))
    return max(1, round(height * shrink)), max(1, round(width * shrink))
