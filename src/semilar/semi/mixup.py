"""Mixup of labeled pictures (appendix B)."""

import numpy as np
import torch
from torch import Tensor

from semilar.config import Above0, Part, Share, Weight


class Mixup(Part):
    """When labeled pictures are mixed, and how much."""

    start_epoch: Weight = 10
    probability: Share = 0.0
    alpha: Above0 = 1.0

    def share(self, epoch: float, rng: np.random.Generator) -> float:
        """λ ~ Beta(α, α) for one batch, or 1 (no mixing) with probability 1 − `probability`."""
        mixed, share = rng.random() < self.probability, rng.beta(self.alpha, self.alpha)
        return float(share) if mixed and epoch >= self.start_epoch else 1.0


def mix(pictures: Tensor, share: float) -> Tensor:
    """λ x_i + (1 − λ) x_j with the neighbour as partner, (B, 3, H, W).

    Partners are 0–1, 2–3 and so on, so that a batch split over processes mixes the same pictures;
    in an odd batch the last one stays as it is.
    """
    if share == 1:
        return pictures
    order = torch.arange(len(pictures)) ^ 1
    order[order >= len(pictures)] = len(pictures) - 1
    return share * pictures + (1 - share) * pictures[order]
