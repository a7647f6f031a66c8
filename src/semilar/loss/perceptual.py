"""The perceptual term L_per of section 3.5: squared distance of VGG16 features."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

Features = Callable[[Tensor], Mapping[str, Tensor]]


def perceptual(features: Features, output: Tensor, target: Tensor) -> Tensor:
    """Mean over layers of the mean squared feature difference of each picture, (B,).

    Both pictures are encoded, (B, 3, H, W) in [0, 1]. No gradient flows to `target`.
    """
    with torch.no_grad():
        wanted = features(target)
    found = features(output)
    return torch.stack(
        [(found[name] - wanted[name]).square().mean(dim=(1, 2, 3)) for name in wanted]
    ).mean(dim=0)
