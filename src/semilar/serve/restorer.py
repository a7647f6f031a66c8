"""The function that restores, around one shared `Remover`."""

from semilar.photo import Photo
from semilar.restore import Remover
from semilar.restore.compare import side_by_side
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
