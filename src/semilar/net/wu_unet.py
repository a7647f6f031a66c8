"""The U-Net of Wu et al. ("How to Train Neural Networks for Flare Removal", ICCV 2021).

It draws the scene; the lamp is blended back afterwards (`semilar.restore.light_source`). Enlarging
is bilinear with a 2 x 2 convolution after it, nothing is normalised. Choice taken here: it draws
the change instead, and the flare beside it, so that it starts as the identity.
"""

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn
from torch.nn.functional import pad

from semilar.net.interface import FlareNet, zero_last
from semilar.net.pyramid import ascend, descend


def twice(inner: int, outer: int) -> nn.Sequential:
    """Two 3 x 3 convolutions, each with ReLU."""
    return nn.Sequential(
        nn.Conv2d(inner, outer, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(outer, outer, 3, padding=1),
        nn.ReLU(inplace=True),
    )


class Enlarge(nn.Module):
    """Twice the size, bilinear, then a 2 x 2 convolution that looks right and down."""

    def __init__(self, *, inner: int, outer: int) -> None:
        super().__init__()
        self.up = nn.Upsample(scale_factor=2, mode="bilinear")
        self.conv = nn.Conv2d(inner, outer, 2)

    def forward(self, features: Tensor) -> Tensor:
        return self.conv(pad(self.up(features), (0, 1, 0, 1))).relu()


class WuUNet(FlareNet):
    """`widths` are the channels from the full resolution down to the bottleneck."""

    def __init__(self, *, widths: Sequence[int] = (64, 128, 256, 512, 1024)) -> None:
        super().__init__()
        self.multiple = 2 ** (len(widths) - 1)
        steps = list(pairwise(widths))
        self.encoder = nn.ModuleList(
            twice(inner, outer) for inner, outer in [(3, widths[0]), *steps]
        )
        self.shrink = nn.MaxPool2d(2)
        self.enlarge = nn.ModuleList(Enlarge(inner=coarse, outer=fine) for fine, coarse in steps)
        self.decoder = nn.ModuleList(twice(2 * fine, fine) for fine, _ in steps)
        self.last = nn.Conv2d(widths[0], 6, 1)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        *stages, bottleneck = self.encoder
        features, skips = descend(picture, stages, [self.shrink] * len(stages))
        return self.last(ascend(bottleneck(features), skips, self.decoder, self.enlarge))
