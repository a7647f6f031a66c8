"""No-reference scorers, by name."""

from collections.abc import Callable

from semilar.errors import SemilarError
from semilar.quality.scorers.none import NoScorer
from semilar.quality.scorers.protocol import Scorer

__all__ = ["SCORERS", "Scorer", "scorer"]

SCORERS: dict[str, Callable[[], Scorer]] = {
    "none": NoScorer,
}


def scorer(name: str) -> Scorer:
    """Build the scorer called `name`, its weights loaded.

    >>> scorer("none").delta
    -1.0
    """
    if name not in SCORERS:
        raise SemilarError(f"There is no scorer {name!r}; choose from {', '.join(SCORERS)}.")
    return SCORERS[name]()
