"""No-reference scorers, by name."""

from collections.abc import Callable

from semilar import plugins
from semilar.errors import SemilarError
from semilar.quality.scorers.flare_score import FlareScore
from semilar.quality.scorers.musiq import MusiqScore
from semilar.quality.scorers.niqe import Niqe
from semilar.quality.scorers.none import NoScorer
from semilar.quality.scorers.protocol import Score, Scorer, score_beside

__all__ = ["SCORERS", "Score", "Scorer", "score_beside", "scorer"]

SCORERS: dict[str, Callable[[], Scorer]] = {
    "flare-score": FlareScore,
    "musiq": MusiqScore,
    "niqe": Niqe,
    "none": NoScorer,
}


def scorer(name: str) -> Scorer:
    """Build the scorer called `name`, its weights loaded.

    >>> scorer("none").delta
    -1.0
    """
    make = plugins.find("scorers", name, SCORERS)
    if make is None:
        known = ", ".join(plugins.names("scorers", SCORERS))
        raise SemilarError(f"There is no scorer {name!r}; choose from {known}.")
    return make()
