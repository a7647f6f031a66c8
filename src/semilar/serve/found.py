"""How much flare was found in a photo, within its mask: a word and a number."""

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from semilar.photo import Pixels
from semilar.restore import Found, decode, how_much

WORDS = tuple(word.value for word in Found)
_SAMPLES = 1_000_000


@dataclass(frozen=True)
class FoundFlare:
    """What was found in a photo: `light` is the flare's mean light, 1 for white everywhere."""

    word: Found
    light: float


def found(before: Pixels, after: Pixels, *, strength: float) -> FoundFlare:
    """What was found, from *encoded* pixels before and after removal at `strength`."""
    step = ceil(sqrt(max(1.0, before.shape[0] * before.shape[1] / _SAMPLES)))
    few = (one[::step, ::step] for one in (before, after))
    first, then = (decode(np.ascontiguousarray(one)) for one in few)
    light = float(np.maximum(first - then, 0).mean()) / strength
    return FoundFlare(how_much(light), light)
