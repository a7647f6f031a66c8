"""`niqe`: how unnatural a picture's statistics are, whatever spoiled it (Mittal et al., 2013).

The generic scorer to compare with. What natural looks like was fitted by `tools/fit_niqe.py` on
free photographs, so the figures are close to the published ones but not the same.
"""

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor

from semilar.errors import SemilarError
from semilar.quality.scorers.natural import PATCH, bundle, distance, patch_features


class Niqe:
    """Minus the distance from natural statistics: about -20 (spoiled) to -2 (clean)."""

    name = "niqe"
    scale = (-20.0, -2.0)
    delta = 0.1

    def __init__(self, *, weights: Path | None = None) -> None:
        from semilar.weights import bundled

        natural = load_file(weights or bundled("niqe"))
        self._mean, self._covariance = natural["mean"], natural["covariance"]

    @torch.inference_mode()
    def __call__(self, batch: Tensor) -> Tensor:
        """Score pictures (B, 3, H, W), encoded, sides at least 96: (B,)."""
        if min(batch.shape[-2:]) < PATCH:
            raise SemilarError(f"niqe needs pictures of at least {PATCH} x {PATCH} pixels.")
        features, _ = patch_features(batch.float())
        mean, covariance = bundle(features.cpu())
        far = distance(mean, covariance, self._mean, self._covariance)
        return -far.float().to(batch.device)
