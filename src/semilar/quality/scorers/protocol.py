"""What a no-reference scorer is: pictures in, one number per picture out, higher is better.

The paper's Ψ (section "NR-IQA Based Dependable Repository"): the repository replaces a stored
pseudo label only where Ψ of the candidate exceeds the stored score by δ. A δ means nothing without
the scale it is measured on, so each scorer declares both.

Whoever scores restorations has the photo they were made from, too. A scorer may look at it: one
with a method `beside` does.
"""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from torch import Tensor

Score = Callable[[Tensor], Tensor]
"""What a scorer does: pictures (B, 3, H, W), encoded -> (B,)."""


@runtime_checkable
class Scorer(Protocol):
    """Scores pictures without seeing what they should look like."""

    @property
    def name(self) -> str:
        """The name it is asked for by."""
        ...

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest score that ordinary pictures get; not a hard limit."""
        ...

    @property
    def delta(self) -> float:
        """δ on this scale: by how much a candidate must be better to count as better."""
        ...

    def __call__(self, batch: Tensor) -> Tensor:
        """Score pictures (B, 3, H, W), encoded floats in [0, 1]: (B,) floats, no gradient."""
        ...


@runtime_checkable
class BesidePhoto(Protocol):
    """Scores versions of a photo better if it is shown the photo."""

    def beside(self, batch: Tensor, photos: Tensor) -> Tensor:
        """Score versions of `photos`, both (B, 3, H, W), encoded: (B,) floats, no gradient."""
        ...


def score_beside(score: Score, batch: Tensor, photos: Tensor) -> Tensor:
    """Scores (B,) of versions of `photos`, both (B, 3, H, W), encoded; any scorer will do."""
    return score.beside(batch, photos) if isinstance(score, BesidePhoto) else score(batch)
