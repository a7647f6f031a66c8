"""The function that restores, around one shared `Remover`."""

from dataclasses import replace

from semilar.photo import Photo
from semilar.restore import Remover, Restored, with_remover
from semilar.serve.found import FoundFlare, found
from semilar.serve.restoring import Asked, Restore


def restorer(remover: Remover) -> Restore:
    """What the service calls from its threads: the wanted layer, and how much flare was found."""

    def restore(photo: Photo, asked: Asked) -> tuple[Photo, FoundFlare]:
        # At strength 0 nothing changes, but what was found is told all the same.
        strength = asked.strength or 1.0
        restored = with_remover(remover, strength=strength, mask=asked.mask)(photo)
        result = restored.result
        told = found(result.before, result.after, strength=strength)
        if not asked.strength:
            untouched = replace(result, image=photo, after=result.before)
            restored = Restored(photo, untouched)
        return restored.picture(asked.layer), told

    return restore
