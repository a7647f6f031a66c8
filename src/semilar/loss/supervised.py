"""L_sup of section 3.5 on both outputs: λ1 L1 + λ2 L_per + λ3 L_FFT."""

from dataclasses import dataclass

import torch
from torch import Tensor

from semilar.loss.frequency import fft_l1
from semilar.loss.perceptual import Features, perceptual
from semilar.loss.pixel import PIXEL_LOSSES, flare_weight


@dataclass(frozen=True, kw_only=True)
class SupervisedLoss:
    """The supervised loss; every weight is the recipe's.

    Args:
        pixel, perceptual, fft: λ1, λ2, λ3.
        flare: weight of the same loss on the flare output against the true flare layer.
        flared_gain: how much more flared pixels count in the pixel term; see `flare_weight`.
        pixel_form: `l1` (the paper), `l1_l2`, `charbonnier` or `log_l2` (PSNR).
        features: the feature extractor; None leaves the perceptual term out.
    """

    pixel: float
    perceptual: float
    fft: float
    flare: float
    flared_gain: float = 0.0
    pixel_form: str = "l1"
    features: Features | None = None

    def __call__(
        self, outputs: tuple[Tensor, Tensor], target: Tensor, flare: Tensor
    ) -> dict[str, Tensor]:
        """Weighted terms by name, each a mean over the batch; their sum is the loss.

        `outputs` are the network's scene and flare, `target` and `flare` the true ones, all
        encoded (B, 3, H, W).
        """
        scene, flare_out = outputs
        weight = flare_weight(flare, gain=self.flared_gain) if self.flared_gain else None
        terms = self._terms(scene, target, weight)
        if self.flare:
            for name, value in self._terms(flare_out, flare, weight).items():
                terms[f"flare_{name}"] = self.flare * value
        return terms

    def _terms(self, output: Tensor, target: Tensor, weight: Tensor | None) -> dict[str, Tensor]:
        pixel_loss = PIXEL_LOSSES[self.pixel_form]
        terms: dict[str, Tensor] = {}
        if self.pixel:
            terms["pixel"] = self.pixel * pixel_loss(output, target, weight).mean()
        if self.perceptual and self.features is not None:
            terms["perceptual"] = self.perceptual * perceptual(self.features, output, target).mean()
        if self.fft:
            terms["fft"] = self.fft * fft_l1(output, target).mean()
        return terms


def total(terms: dict[str, Tensor]) -> Tensor:
    """The sum of the weighted terms."""
    return torch.stack(list(terms.values())).sum()
