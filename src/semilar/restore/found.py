"""How much flare was found, in a word. The word is decided here and nowhere else."""

from enum import StrEnum

# Mean *linear* light of the flare, as a share of white: below it a photo looks the same before and
# after. `docs/model.md` says how it was chosen.
WEAK_BELOW = 0.001


class Found(StrEnum):
    """`none` is false, the others are true.

    >>> bool(Found.NONE), bool(Found.WEAK), str(Found.STRONG)
    (False, True, 'strong')
    """

    NONE = "none"
    WEAK = "weak"
    STRONG = "strong"

    def __bool__(self) -> bool:
        return self is not Found.NONE


def how_much(light: float) -> Found:
    """The word for a flare whose mean *linear* light is `light`.

    >>> [str(how_much(light)) for light in (0.0, 0.0004, 0.02)]
    ['none', 'weak', 'strong']
    """
    if light <= 0:
        return Found.NONE
    return Found.WEAK if light < WEAK_BELOW else Found.STRONG
