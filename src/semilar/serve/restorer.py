"""The function that restores, around one shared `Remover`."""

from dataclasses import replace

import numpy as np

from semilar.photo import Photo
from semilar.restore import Remover
from semilar.serve.job import Layer, Restore


def restorer(remover: Remover) -> Restore:
    """What the service calls from its threads: the wanted layer, and whether flare was found."""

    def restore(photo: Photo, strength: float, layer: Layer) -> tuple[Photo, bool]:
        result = remover.remove(photo, strength=strength)
        if layer == "flare":
            return result.flare, result.found
        if layer == "compare":
            return side_by_side(photo, result.image), result.found
        return result.image, result.found

    return restore


def side_by_side(before: Photo, after: Photo) -> Photo:
    """Both in one picture of twice the width, with the metadata of the first."""
    alpha = None if before.alpha is None else np.hstack([before.alpha, before.alpha])
    pixels = np.hstack([before.pixels, after.pixels])
    return replace(before, pixels=pixels, alpha=alpha, original=None)
