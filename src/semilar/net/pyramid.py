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
        nn.ConvTranspose2d(below, width, 2, stride=2)
        for below, width in zip(widths_below(widths), widths[:-1], strict=True)
    )


def widths_below(widths: Sequence[int]) -> list[int]:
    """What arrives at each scale from below: joined stages are twice as wide, the lowest is not."""
    return [min(4 * width, widths[-1]) for width in widths[:-1]]


def unshuffled(inner: int, outer: int) -> nn.Sequential:
    """Half the size: a convolution, then squares of four pixels become channels."""
    conv = nn.Conv2d(inner, outer // 4, 3, padding=1, bias=False)
    return nn.Sequential(conv, nn.PixelUnshuffle(2))


def shuffled(inner: int, outer: int) -> nn.Sequential:
    """Twice the size: a convolution, then channels become squares of four pixels."""
    conv = nn.Conv2d(inner, 4 * outer, 3, padding=1, bias=False)
    return nn.Sequential(conv, nn.PixelShuffle(2))


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
