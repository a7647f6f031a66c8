"""The function that restores, around one shared `Remover`."""

import numpy as np

from semilar.photo import Photo
from semilar.restore import Remover
from semilar.restore.compare import side_by_side
from semilar.serve.found import Found, found
from semilar.serve.job import Asked, Restore


def restorer(remover: Remover) -> Restore:
    """What the service calls from its threads: the wanted layer, and how much flare was found."""

    def restore(photo: Photo, asked: Asked) -> tuple[Photo, Found]:
        # At strength 0 nothing changes, but what was found is told all the same.
        strength = asked.strength or 1.0
        result = remover.remove(photo, strength=strength, mask=asked.mask)
        image = result.image if asked.strength else photo
        told = found(result.before, result.after, strength=strength)
        if asked.layer == "flare":
            flare = result.flare if asked.strength else _black(photo)
            return flare, told
        if asked.layer == "compare":
            return side_by_side(photo, image), told
        return image, told

    return restore


def _black(photo: Photo) -> Photo:
    return photo.with_pixels(np.zeros_like(photo.pixels))
