"""Before and after in one picture."""

from dataclasses import replace

import numpy as np

from semilar.photo import Photo


def side_by_side(before: Photo, after: Photo) -> Photo:
    """Both photos in one, `before` on the left; one above the other where they are very wide."""
    height, width = before.size
    axis = 0 if width > 2 * height else 1
    alpha = None
    if before.alpha is not None and after.alpha is not None:
        alpha = np.concatenate([before.alpha, after.alpha], axis)
    pixels = np.concatenate([before.pixels, after.pixels], axis)
    return replace(before, pixels=pixels, alpha=alpha, original=None)
