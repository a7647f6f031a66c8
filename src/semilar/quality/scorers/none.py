"""`none`: no opinion. The ablation in which pseudo labels move by momentum alone."""

from torch import Tensor


class NoScorer:
    """Finds every picture equally good, and every candidate good enough.

    Its δ is negative, so that `score > stored + delta` holds for each candidate and the repository
    blends them all: the paper's momentum update without quality assessment.
    """

    name = "none"
    scale = (0.0, 0.0)
    delta = -1.0

    def __call__(self, batch: Tensor) -> Tensor:
        """Zero for each picture of (B, 3, H, W), encoded."""
        return batch.new_zeros(batch.shape[0])
