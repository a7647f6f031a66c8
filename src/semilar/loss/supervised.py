"""L_sup of section 3.5 on both outputs: λ1 L1 + λ2 L_per + λ3 L_FFT."""

from typing import Literal

import torch
from pydantic import model_validator
from torch import Tensor

from semilar.config import Part, Weight
from semilar.loss.frequency import fft_l1
from semilar.loss.perceptual import Features, perceptual
from semilar.loss.pixel import PIXEL_LOSSES, flare_weight
from semilar.loss.vgg import FeatureSettings


class SupervisedLoss(Part):
    """The supervised loss and its weights."""

    pixel: Weight = 0.5
    """λ1"""
    perceptual: Weight = 0.5
    """λ2"""
    fft: Weight = 0.2
    """λ3"""
    flare: Weight = 1.0
    """Weight of the same loss on the flare output against the true flare layer."""
    flared_gain: Weight = 0.0
    """How much more flared pixels count in the pixel term; see `flare_weight`."""
    pixel_form: Literal["l1", "l1_l2", "charbonnier", "log_l2"] = "l1"
    """`l1` is the paper's, `log_l2` is PSNR as a loss."""
    features: FeatureSettings = FeatureSettings()

    @model_validator(mode="after")
    def _features_for_perceptual(self) -> "SupervisedLoss":
        if self.perceptual and self.features.kind == "none":
            raise ValueError(
                "perceptual needs features; set perceptual to 0 or features.kind to vgg16"
            )
        return self

    def __call__(
        self,
        outputs: tuple[Tensor, Tensor],
        target: Tensor,
        flare: Tensor,
        extract: Features | None,
    ) -> dict[str, Tensor]:
        """Weighted terms by name, each a mean over the batch; their sum is the loss.

        `outputs` are the network's scene and flare, `target` and `flare` the true ones, all
        encoded (B, 3, H, W). `extract` gives features; None leaves the perceptual term out.
        """
        scene, flare_out = outputs
        weight = flare_weight(flare, gain=self.flared_gain) if self.flared_gain else None
        terms = self._terms(scene, target, weight, extract)
        if self.flare:
            for name, value in self._terms(flare_out, flare, weight, extract).items():
                terms[f"flare_{name}"] = self.flare * value
        return terms

    def _terms(
        self, output: Tensor, target: Tensor, weight: Tensor | None, extract: Features | None
    ) -> dict[str, Tensor]:
        pixel_loss = PIXEL_LOSSES[self.pixel_form]
        terms: dict[str, Tensor] = {}
        if self.pixel:
            terms["pixel"] = self.pixel * pixel_loss(output, target, weight).mean()
        if self.perceptual and extract is not None:
            terms["perceptual"] = self.perceptual * perceptual(extract, output, target).mean()
        if self.fft:
            terms["fft"] = self.fft * fft_l1(output, target).mean()
        return terms


def total(terms: dict[str, Tensor]) -> Tensor:
    """The sum of the weighted terms."""
    return torch.stack(list(terms.values())).sum()
