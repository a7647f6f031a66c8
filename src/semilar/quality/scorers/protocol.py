"""What a no-reference scorer is: pictures in, one number per picture out, higher is better.

The paper's Ψ (section "NR-IQA Based Dependable Repository"): the repository replaces a stored
pseudo label only where Ψ of the candidate exceeds the stored score by δ. A δ means nothing without
the scale it is measured on, so each scorer declares both.
"""

from typing import Protocol, runtime_checkable

from torch import Tensor


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
