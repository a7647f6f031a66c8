"""L_unsup of section 3.5: what the student learns from unlabeled photos."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from semilar.data import UnlabeledSample
from semilar.loss import PIXEL_LOSSES, Features, fft_l1, keep_valid, perceptual
from semilar.semi.settings import Semi

Forward = Callable[[Tensor], tuple[Tensor, Tensor]]


@dataclass(frozen=True, kw_only=True)
class UnsupervisedLoss:
    """λ1 L1(ŷ, p*) + λ_cr L_cr of section 3.5, before η; and swapped flares, where asked for."""

    semi: Semi
    features: Features | None

    def __call__(
        self,
        net: Forward,
        samples: Sequence[UnlabeledSample],
        target: Tensor,
        valid: Tensor,
        labeled: tuple[Tensor, Tensor],
        *,
        epoch: float,
        seeds: Sequence[int],
    ) -> dict[str, Tensor]:
        """Weighted terms at `epoch`; `target` (B, 3, h, w) are the pseudo labels, encoded.

        `labeled` are flared and clean pictures of the same size, for swapped flares.
        """
        terms = self._swapped(net, samples, target, valid, labeled, seeds)
        semi = self.semi
        if not (semi.pixel or semi.fft or semi.brightness.weight or semi.needs_features()):
            return terms
        strong = torch.stack([sample.strong for sample in samples]).to(target.device)
        if self.semi.colour_on_target:
            recoloured = [s.colour(p) for s, p in zip(samples, target, strict=True)]
            target = torch.stack(recoloured)
        output = net(strong)[0]
        pixel = PIXEL_LOSSES[self.semi.pixel_form](output, target)
        terms["pixel"] = self.semi.pixel * keep_valid(pixel, valid)
        if self.semi.fft:
            terms["fft"] = self.semi.fft * keep_valid(fft_l1(output, target), valid)
        if weight := self.semi.brightness.weight:
            value = self.semi.brightness(output, strong)
            terms["brightness"] = weight * keep_valid(value, valid)
        if self.features is None:
            return terms
        if self.semi.perceptual:
            value = perceptual(self.features, output, target)
            terms["perceptual"] = self.semi.perceptual * keep_valid(value, valid)
        if contrast := self.semi.contrast_at(epoch):
            value = self.semi.contrastive(self.features, output, target, strong, seeds)
            terms["contrastive"] = contrast * keep_valid(value, valid)
        return terms

    def _swapped(
        self,
        net: Forward,
        samples: Sequence[UnlabeledSample],
        label: Tensor,
        valid: Tensor,
        labeled: tuple[Tensor, Tensor],
        seeds: Sequence[int],
    ) -> dict[str, Tensor]:
        swap = self.semi.swap
        if not swap.weight:
            return {}
        photo = torch.stack([sample.window.take(sample.frame) for sample in samples]).to(
            label.device
        )
        pictures, scenes = swap(photo, label, *labeled, seeds)
        found = PIXEL_LOSSES[self.semi.pixel_form](net(pictures)[0], scenes)
        return {"swap": swap.weight * 2 * keep_valid(found, torch.cat([valid, valid]))}
