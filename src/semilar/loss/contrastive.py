"""The flare-aware contrastive term L_cr (section 3.3): away from the flared input.

Anchor: a patch of features of the student's output. Positive: the same patch of the pseudo label.
Negatives: patches of the flared input. Similarity is the cosine; τ is the temperature.
"""

from collections.abc import Sequence
from typing import Literal

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from semilar.config import Above0, Part, Positive, Weight
from semilar.loss.perceptual import Features
from semilar.loss.vgg import VggLayer


class ContrastiveLoss(Part):
    """L_cr: which features are compared, and how."""

    weight: Weight = 0.01
    """λ_cr; 0 leaves the term out."""
    ramp_epochs: Weight = 0
    """Epochs over which the weight grows from 0; 0 keeps it constant."""
    form: Literal["pairwise", "bank"] = "pairwise"
    """`pairwise` is the paper's, `bank` the authors' code's."""
    layer: VggLayer = "relu3_3"
    """One of `loss.features.layers`."""
    temperature: Above0 = 0.1
    patches: Positive = 128
    negatives: Positive = 1

    def __call__(
        self,
        extract: Features,
        output: Tensor,
        target: Tensor,
        flared: Tensor,
        seeds: Sequence[int],
    ) -> Tensor:
        """The term of each picture before its weight, (B,); all encoded (B, 3, H, W)."""
        with torch.no_grad():
            positive, negative = extract(target)[self.layer], extract(flared)[self.layer]
        anchor = extract(output)[self.layer]
        anchor, positive, negative = sample_patches(
            (anchor, positive, negative), count=self.patches, seeds=seeds
        )
        if self.form == "bank":
            return bank(anchor, positive, negative, temperature=self.temperature)
        return pairwise(
            anchor,
            positive,
            negative,
            temperature=self.temperature,
            negatives=self.negatives,
        )


def sample_patches(maps: tuple[Tensor, ...], *, count: int, seeds: Sequence[int]) -> list[Tensor]:
    """The same `count` random places of each feature map, (B, C, h, w) -> (B, count, C).

    Every picture has places of its own, from a seed of its own, so that any device and any split
    of the batch over processes sees the same ones.
    """
    channels, height, width = maps[0].shape[1:]
    spots = torch.stack(
        [
            torch.randint(height * width, (count,), generator=torch.Generator().manual_seed(seed))
            for seed in seeds
        ]
    )
    index = spots.to(maps[0].device).unsqueeze(1).expand(-1, channels, -1)
    return [x.flatten(2).gather(2, index).transpose(1, 2) for x in maps]


def pairwise(
    anchor: Tensor, positive: Tensor, negative: Tensor, *, temperature: float, negatives: int = 1
) -> Tensor:
    """The paper's form: one positive and `negatives` patches of the input per anchor, (B,).

    All are (B, K, C). The first negative of an anchor is the input at the anchor's own place, the
    others are the next sampled places of the same picture.
    """
    anchor, positive, negative = (F.normalize(z, dim=-1) for z in (anchor, positive, negative))
    to_positive = (anchor * positive).sum(-1, keepdim=True)
    to_negative = torch.cat(
        [
            (anchor * negative.roll(-shift, dims=1)).sum(-1, keepdim=True)
            for shift in range(negatives)
        ],
        dim=-1,
    )
    logits = torch.cat([to_positive, to_negative], dim=-1) / temperature  # (B, K, 1 + negatives)
    return (logits.logsumexp(-1) - logits[..., 0]).mean(dim=1)


def bank(anchor: Tensor, positive: Tensor, negative: Tensor, *, temperature: float) -> Tensor:
    """The authors' form: every patch of the batch is a key, 2·B·K of them, (B,).

    The key of the anchor's own place in the pseudo labels is the right one.
    """
    batch, count, channels = anchor.shape
    keys = F.normalize(torch.cat([positive, negative]).reshape(-1, channels), dim=-1)
    queries = F.normalize(anchor.reshape(-1, channels), dim=-1)
    logits = queries @ keys.T / temperature  # (B·K, 2·B·K)
    right = torch.arange(batch * count, device=anchor.device)
    return F.cross_entropy(logits, right, reduction="none").view(batch, count).mean(dim=1)
