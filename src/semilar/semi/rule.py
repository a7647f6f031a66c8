"""Algorithm 1 as plain functions: bounding, validity gates, quality gate, momentum (section 3.2).

Nothing here knows about files or networks; `semilar.semi.repository` keeps what these functions
decide.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

Label = NDArray[np.uint16]
"""A pseudo label as it is stored: (3, H, W), encoded light, 65535 is 1."""

FULL = 65535


class Outcome(StrEnum):
    """What became of a candidate."""

    ACCEPTED = "accepted"
    BLACK = "black"
    FOGGY = "foggy"
    NOT_BETTER = "not_better"


@dataclass(frozen=True, kw_only=True)
class UpdateRule:
    """The symbols of algorithm 1.

    Args:
        quality: ask for a better score (the paper's full strategy); without it every valid
            candidate is blended (the ablation "momentum only").
        epsilon: how much brighter than the photo a pseudo label may be (ε).
        beta: share of the candidate in the blend (β).
        delta: by how much a score must improve (δ), on the scorer's scale.
        black: candidates with a smaller mean are rejected (τ_black).
        fog: candidates whose darkest value is larger are rejected (τ_fog).
        empty: a stored label with a smaller mean counts as absent (τ_empty).
    """

    quality: bool = True
    epsilon: float = 0.05
    beta: float = 0.2
    delta: float = 0.0
    black: float = 0.02
    fog: float = 0.2
    empty: float = 1e-3

    def bound(self, prediction: Tensor, photo: Tensor) -> Tensor:
        """Line 2: clip(min(p̂, x + ε), 0, 1); flare only ever adds light. Both encoded."""
        return prediction.minimum(photo + self.epsilon).clamp(0, 1)

    def refuse(self, candidate: Tensor) -> Outcome | None:
        """Lines 3 to 6: why a bounded candidate (3, H, W) is degenerate, or None."""
        if float(candidate.double().mean()) < self.black:
            return Outcome.BLACK
        if float(candidate.amin()) > self.fog:
            return Outcome.FOGGY
        return None

    def is_empty(self, stored: Label | None) -> bool:
        """Line 8: nothing is stored, or something as good as black."""
        return stored is None or float(stored.mean(dtype=np.float64)) / FULL < self.empty

    def is_better(self, score: float, stored_score: float) -> bool:
        """Line 9, with the strict comparison of the paper."""
        return not self.quality or score > stored_score + self.delta

    def blend(self, stored: Label | None, candidate: Tensor) -> Label:
        """Line 11: (1 − β) p + β p̃; an empty slot takes p̃ whole, as a blend with black is wrong."""
        new = candidate.detach().cpu().double().numpy()
        if not self.is_empty(stored):
            assert stored is not None
            new = (1 - self.beta) * (stored.astype(np.float64) / FULL) + self.beta * new
        return np.rint(new * FULL).astype(np.uint16)
