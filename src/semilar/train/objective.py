"""The losses of one batch: L_total = L_sup + η L_unsup (section 3.1, equation 2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from semilar.data.unlabeled import UnlabeledSample
from semilar.loss import contrastive
from semilar.loss.perceptual import Features, perceptual
from semilar.loss.pixel import PIXEL_LOSSES, keep_valid
from semilar.loss.supervised import SupervisedLoss
from semilar.semi.mixup import mix
from semilar.train.feed import LabeledBatch
from semilar.train.recipe import Loss, Semi

Net = Callable[[Tensor], tuple[Tensor, Tensor]]


def supervised_loss(loss: Loss, features: Features | None) -> SupervisedLoss:
    """The recipe's supervised loss."""
    return SupervisedLoss(
        pixel=loss.pixel,
        perceptual=loss.perceptual,
        fft=loss.fft,
        flare=loss.flare,
        flared_gain=loss.flared_gain,
        pixel_form=loss.pixel_form,
        features=features,
    )


def labeled_terms(
    net: Net, batch: LabeledBatch, loss: SupervisedLoss, *, share: float
) -> dict[str, Tensor]:
    """Weighted supervised terms of a batch, mixed with `share` (1 for no mixup)."""
    picture, target, flare = (mix(x, share) for x in (batch.input, batch.target, batch.flare))
    return loss(net(picture), target, flare)


@dataclass(frozen=True, kw_only=True)
class UnsupervisedLoss:
    """λ1 L1(ŷ, p*) + λ_cr L_cr of section 3.5, before η."""

    semi: Semi
    features: Features | None

    def __call__(
        self,
        net: Net,
        samples: Sequence[UnlabeledSample],
        target: Tensor,
        valid: Tensor,
        *,
        contrast: float,
        seeds: Sequence[int],
    ) -> dict[str, Tensor]:
        """Weighted terms; `target` (B, 3, h, w) are the pseudo labels, `contrast` is λ_cr now."""
        strong = torch.stack([sample.strong for sample in samples]).to(target.device)
        if self.semi.colour_on_target:
            recoloured = [s.colour(p) for s, p in zip(samples, target, strict=True)]
            target = torch.stack(recoloured)
        output = net(strong)[0]
        pixel = PIXEL_LOSSES[self.semi.pixel_form](output, target)
        terms = {"pixel": self.semi.pixel * keep_valid(pixel, valid)}
        if self.semi.perceptual and self.features is not None:
            value = perceptual(self.features, output, target)
            terms["perceptual"] = self.semi.perceptual * keep_valid(value, valid)
        if contrast and self.features is not None:
            value = self._contrast(self.features, output, target, strong, seeds)
            terms["contrastive"] = contrast * keep_valid(value, valid)
        return terms

    def _contrast(
        self,
        features: Features,
        output: Tensor,
        target: Tensor,
        strong: Tensor,
        seeds: Sequence[int],
    ) -> Tensor:
        spec = self.semi.contrastive
        with torch.no_grad():
            positive, negative = features(target)[spec.layer], features(strong)[spec.layer]
        anchor = features(output)[spec.layer]
        anchor, positive, negative = contrastive.sample_patches(
            (anchor, positive, negative), count=spec.patches, seeds=seeds
        )
        if spec.form == "bank":
            return contrastive.bank(anchor, positive, negative, temperature=spec.temperature)
        return contrastive.pairwise(
            anchor,
            positive,
            negative,
            temperature=spec.temperature,
            negatives=spec.negatives,
        )
