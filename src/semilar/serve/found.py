"""How much flare was found, in a word and a number. The word is decided here and nowhere else."""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Literal, get_args

import numpy as np

from semilar.restore.curves import Pixels, decode

Word = Literal["none", "weak", "strong"]
WORDS: tuple[Word, ...] = get_args(Word)

# Mean light taken away, as a share of white. Photos below it look the same before and after.
WEAK_BELOW = 0.001
_SAMPLES = 1_000_000


@dataclass(frozen=True)
class Found:
    """What was found in a photo: `light` is the flare's mean light, 1 for white everywhere."""

    word: Word
    light: float


def found(before: Pixels, after: Pixels, *, strength: float) -> Found:
    """What was found, from *encoded* pixels before and after removal at `strength`."""
    step = ceil(sqrt(max(1.0, before.shape[0] * before.shape[1] / _SAMPLES)))
    few = (one[::step, ::step] for one in (before, after))
    first, then = (decode(np.ascontiguousarray(one)) for one in few)
    light = float(np.maximum(first - then, 0).mean()) / strength
    return Found(word(light), light)


def word(light: float) -> Word:
    """The word for the mean light taken away at strength 1.

    >>> word(0.0), word(0.0004), word(0.02)
    ('none', 'weak', 'strong')
    """
    if light <= 0:
        return "none"
    return "weak" if light < WEAK_BELOW else "strong"
