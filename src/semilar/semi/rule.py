"""Algorithm 1 as plain functions: bounding, validity gates, quality gate, momentum (section 3.2).

Nothing here knows about files or networks; `semilar.semi.repository` keeps what these functions
decide.
"""

from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from semilar.config import Part, Share, Weight

Label = NDArray[np.uint16]
"""A pseudo label as it is stored: (3, H, W), encoded light, 65535 is 1."""

FULL = 65535


class Decision(StrEnum):
    """What became of a candidate."""

    ACCEPTED = "accepted"
    BLACK = "black"
    FOGGY = "foggy"
    NOT_BETTER = "not_better"


class UpdateRule(Part):
    """The symbols of algorithm 1."""

    strategy: Literal["none", "momentum", "momentum+quality"] = "momentum+quality"
    """`momentum+quality` asks for a better score (the paper), `momentum` blends every valid
    candidate, `none` keeps nothing: the teacher's answer is the label."""
    scorer: str = "flare-score"
    """The no-reference scorer Ψ by name."""
    epsilon: Weight = 0.05
    """How much brighter than the photo a pseudo label may be (ε)."""
    beta: Share = 0.2
    """Share of the candidate in the blend (β)."""
    delta: float | None = None
    """By how much a score must improve (δ), on the scorer's scale; empty takes the scorer's own."""
    black: Weight = 0.02
    """Candidates with a smaller mean are rejected (τ_black)."""
    fog: Weight = 0.2
    """Candidates whose darkest value is larger are rejected (τ_fog)."""
    empty: Weight = 1e-3
    """A stored label with a smaller mean counts as absent (τ_empty)."""
    valid: Weight = 1e-3
    """Targets with a smaller mean take no part in the loss."""

    @property
    def quality(self) -> bool:
        """Whether a candidate has to be scored better than what is stored."""
        return self.strategy == "momentum+quality"

    def bound(self, prediction: Tensor, photo: Tensor) -> Tensor:
        """Line 2: clip(min(p̂, x + ε), 0, 1); flare only ever adds light. Both encoded."""
        return prediction.minimum(photo + self.epsilon).clamp(0, 1)

    def refuse(self, candidate: Tensor) -> Decision | None:
        """Lines 3 to 6: why a bounded candidate (3, H, W) is degenerate, or None."""
        if float(candidate.double().mean()) < self.black:
            return Decision.BLACK
        if float(candidate.amin()) > self.fog:
            return Decision.FOGGY
        return None

    def is_empty(self, stored: Label | None) -> bool:
        """Line 8: nothing is stored, or something as good as black."""
        return stored is None or float(stored.mean(dtype=np.float64)) / FULL < self.empty

    def is_better(self, score: float, stored_score: float) -> bool:
        """Line 9, with the strict comparison of the paper."""
        return not self.quality or score > stored_score + (self.delta or 0.0)

    def blend(self, stored: Label | None, candidate: Tensor) -> Label:
        """Line 11: (1 − β) p + β p̃; an empty slot takes p̃ whole, as a blend with black is wrong."""
        new = candidate.detach().cpu().double().numpy()
        if not self.is_empty(stored):
            assert stored is not None
            new = (1 - self.beta) * (stored.astype(np.float64) / FULL) + self.beta * new
        return np.rint(new * FULL).astype(np.uint16)
