"""U-Net (Ronneberger, Fischer, Brox, MICCAI 2015), padded and batch-normalised as is usual."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from semilar.net.interface import FlareNet, zero_last


def double_conv(inner: int, outer: int) -> nn.Sequential:
    """Two 3 x 3 convolutions, each with batch normalisation and ReLU."""
    layers: list[nn.Module] = []
    for channels in (inner, outer):
        layers += [
            nn.Conv2d(channels, outer, 3, padding=1, bias=False),
            nn.BatchNorm2d(outer),
            nn.ReLU(inplace=True),
        ]
    return nn.Sequential(*layers)


class UNet(FlareNet):
    """Contracting path with pooling, expanding path with 2 x 2 up-convolutions, skips joined.

    `widths` are the channels from the full resolution down to the bottleneck.
    """

    def __init__(self, *, widths: Sequence[int] = (64, 128, 256, 512, 1024)) -> None:
        super().__init__()
        self.multiple = 2 ** len(widths)  # twice what the U needs: one pixel has no variance
        steps = list(pairwise(widths))
        self.first = double_conv(3, widths[0])
        self.down = nn.ModuleList(
            nn.Sequential(nn.MaxPool2d(2), double_conv(fine, coarse)) for fine, coarse in steps
        )
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(coarse, fine, 2, stride=2) for fine, coarse in steps
        )
        self.merge = nn.ModuleList(double_conv(2 * fine, fine) for fine, _ in steps)
        self.last = nn.Conv2d(widths[0], 6, 1)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        features = self.first(picture)
        skips: list[Tensor] = []
        for down in self.down:
            skips.append(features)
            features = down(features)
        for up, merge in zip(reversed(self.up), reversed(self.merge), strict=True):
            features = merge(torch.cat([skips.pop(), up(features)], dim=1))
        return self.last(features)
