"""What U-shaped networks share: down through an encoder, up again beside what it had seen."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn


def halvings(widths: Sequence[int]) -> nn.ModuleList:
    """Convolutions that halve the size, from each of `widths` to the next."""
    return nn.ModuleList(nn.Conv2d(a, b, 4, stride=2, padding=1) for a, b in pairwise(widths))


def doublings(widths: Sequence[int]) -> nn.ModuleList:
    """Convolutions that double the size again; what comes from below is twice as wide, joined."""
    return nn.ModuleList(
        nn.ConvTranspose2d(min(4 * width, widths[-1]), width, 2, stride=2) for width in widths[:-1]
    )


def descend(
    features: Tensor, stages: Iterable[nn.Module], down: Iterable[nn.Module]
) -> tuple[Tensor, list[Tensor]]:
    """Through each stage and down; gives what arrives below, and what each stage gave."""
    seen: list[Tensor] = []
    for stage, smaller in zip(stages, down, strict=True):
        features = stage(features)
        seen.append(features)
        features = smaller(features)
    return features, seen


def ascend(
    features: Tensor, seen: Sequence[Tensor], stages: nn.ModuleList, up: nn.ModuleList
) -> Tensor:
    """Up and through each stage, the last one first, joined with what was `seen` at its size."""
    levels = zip(reversed(seen), reversed(stages), reversed(up), strict=True)
    for beside, stage, larger in levels:
        features = stage(torch.cat([larger(features), beside], dim=1))
    return features
