"""One picture seen in up to eight orientations, and the mean of what a network makes of them.

A trained network has its habits: mirrored and turned, a picture is restored a little differently
each time. The mean over a picture and its mirror image is better than either, at the cost of two
runs. Scenes do have an up and a down: lying on its side, a lit ceiling is taken for flare.
"""

from collections.abc import Callable

import numpy as np

from semilar.photo import Floats

# Bits: 1 mirrors left and right, 2 top and bottom, 4 swaps height and width. Those come first that
# restore best.
ORIENTATIONS = (0, 1, 3, 2, 4, 5, 7, 6)


def mean_of_views(
    run: Callable[[Floats], Floats], image: Floats, views: int, *, at_once: int = 1
) -> Floats:
    """The mean of `run` over the first `views` orientations of the pictures `image` (N, 3, H, W).

    `at_once` orientations of the same shape go through as one batch (at_once x N, 3, H, W).
    """
    total = np.zeros(image.shape, np.float32)
    chosen = ORIENTATIONS[:views]
    upright, lying = ([one for one in chosen if one & 4 == bit] for bit in (0, 4))
    for same in (upright, lying):
        for start in range(0, len(same), at_once):
            batch = same[start : start + at_once]
            found = run(np.concatenate([turned(image, one) for one in batch]))
            for one, orientation in zip(np.split(found, len(batch)), batch, strict=True):
                total += turned_back(one, orientation)
    return total / np.float32(views)


def turned(image: Floats, orientation: int) -> Floats:
    """`image` (..., H, W) in another orientation."""
    if orientation & 1:
        image = image[..., ::-1]
    if orientation & 2:
        image = image[..., ::-1, :]
    if orientation & 4:
        image = image.swapaxes(-1, -2)
    return np.ascontiguousarray(image)


def turned_back(image: Floats, orientation: int) -> Floats:
    """What undoes `turned`."""
    if orientation & 4:
        image = image.swapaxes(-1, -2)
    if orientation & 2:
        image = image[..., ::-1, :]
    if orientation & 1:
        image = image[..., ::-1]
    return image
