"""The U-Net of the Flare7K benchmark: nearest-neighbour enlargement instead of up-convolution."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from semilar.net.interface import FlareNet
from semilar.net.pyramid import descend


def conv_norm(inner: int, outer: int) -> list[nn.Module]:
    """A 3 x 3 convolution with bias, batch normalisation, ReLU."""
    return [
        nn.Conv2d(inner, outer, 3, padding=1),
        nn.BatchNorm2d(outer),
        nn.ReLU(inplace=True),
    ]


def twice(inner: int, outer: int) -> nn.Sequential:
    return nn.Sequential(*conv_norm(inner, outer), *conv_norm(outer, outer))


class Flare7KUNet(FlareNet):
    """34.5 M parameters at the published widths; `outputs` planes."""

    def __init__(
        self, *, widths: Sequence[int] = (64, 128, 256, 512, 1024), outputs: int = 6
    ) -> None:
        super().__init__()
        self.multiple = 2 ** (len(widths) - 1)
        steps = list(pairwise(widths))
        self.encoder = nn.ModuleList(
            twice(inner, outer) for inner, outer in [(3, widths[0]), *steps]
        )
        self.shrink = nn.MaxPool2d(2)
        self.enlarge = nn.ModuleList(
            nn.Sequential(nn.Upsample(scale_factor=2), *conv_norm(coarse, fine))
            for fine, coarse in steps
        )
        self.decoder = nn.ModuleList(twice(2 * fine, fine) for fine, _ in steps)
        self.last = nn.Conv2d(widths[0], outputs, 1)

    def planes(self, picture: Tensor) -> Tensor:
        *stages, bottleneck = self.encoder
        features, skips = descend(picture, stages, [self.shrink] * len(stages))
        features = bottleneck(features)
        for enlarge, decode in zip(reversed(self.enlarge), reversed(self.decoder), strict=True):
            features = decode(torch.cat([skips.pop(), enlarge(features)], dim=1))
        return self.last(features)
