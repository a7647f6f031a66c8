"""SLCFormer (Zhu et al., "Spectral-Local Context Transformer", AAAI 2026, arXiv 2512.15221).

A U of blocks in which the Fourier transform stands in for attention: half of the channels is mixed
over the whole picture in its spectrum, half near each pixel; a gated feed-forward then looks along
structures. Its code is not public. This follows a published reading report of the paper, which
gives the parts and their order, not their sizes. Choices taken here:

- The U is that of Flare7K++'s Uformer, which is what the paper's ablation has without both parts:
  32 channels, two blocks a stage, four scales and a bottleneck, an expansion of 4, joined skips.
- Batch normalisation of the spectrum takes the statistics of each picture, not of the batch:
  batches are small, and a picture's scene must not depend on its batch. A single frequency has no
  spread, so that sides are padded to twice what the U needs.
- Spectra are scaled to the size of their map ("ortho"), or the layers would mean something else
  at every picture size.
- GELU wherever an activation is left open; dilated convolutions are 3 x 3 with steps of 2, the one
  in the wide feed-forward is depth-wise; both its branches read all of the expanded channels.
- The network draws the change of the scene, where theirs ends in a sigmoid.
"""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from semilar.net.cab import ChannelGate
from semilar.net.fourier import from_real_and_imaginary, real_and_imaginary
from semilar.net.interface import FlareNet, zero_last
from semilar.net.nafnet import SimpleChannelAttention, SimpleGate
from semilar.net.norm import ChannelLayerNorm
from semilar.net.pyramid import ascend, descend, shuffled, unshuffled, widths_below
from semilar.net.uformer import feed_forward

STEP = 2  # of dilated convolutions
EXPANSION = 4


class FourierMix(nn.Module):
    """FCM: real and imaginary parts side by side, two layers per frequency beside the identity."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        both = 2 * channels
        self.layers = nn.Sequential(
            nn.Conv2d(both, both, 1),
            nn.InstanceNorm2d(both, affine=True),
            nn.GELU(),
            nn.Conv2d(both, both, 1),
        )

    def forward(self, features: Tensor) -> Tensor:
        height, width = features.shape[-2:]
        parts = torch.cat(real_and_imaginary(features, "ortho"), dim=1)
        real, imaginary = (parts + self.layers(parts)).chunk(2, dim=1)
        return from_real_and_imaginary(real, imaginary, (height, width), "ortho")


class LocalMix(nn.Module):
    """LEM: half of the channels through two layers per pixel, half through a dilated one."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        half = channels // 2
        self.pixel = feed_forward(half, EXPANSION)
        self.around = nn.Conv2d(half, half, 3, padding=STEP, dilation=STEP)

    def forward(self, features: Tensor) -> Tensor:
        pixel, around = features.chunk(2, dim=1)
        return torch.cat([self.pixel(pixel), self.around(around)], dim=1)


class GlobalLocalMix(nn.Module):
    """FFEM: the first half of the channels is mixed nearby, the second over the whole picture.

    Both are fused, then weighed channel by channel.
    """

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.enter = nn.Conv2d(channels, channels, 1)
        self.near = LocalMix(channels=channels // 2)
        self.far = FourierMix(channels=channels // 2)
        self.fuse = nn.Conv2d(channels, channels, 1)
        self.weigh = ChannelGate(channels=channels, reduction=16)

    def forward(self, features: Tensor) -> Tensor:
        near, far = self.enter(features).chunk(2, dim=1)
        return self.weigh(self.fuse(torch.cat([self.near(near), self.far(far)], dim=1)))


class GatedLines(nn.Module):
    """This paper's DESM: a branch that follows structures beside one that gates.

    Semi-LAR's module of the same name (`semilar.net.desm`) is another one.
    """

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        hidden = EXPANSION * channels
        self.expand = nn.Conv2d(channels, hidden, 1)
        self.lines = nn.Sequential(
            nn.Conv2d(hidden, hidden, 3, padding=1, groups=hidden),
            nn.GELU(),
            nn.Conv2d(hidden, hidden, 3, padding=STEP, dilation=STEP, groups=hidden),
        )
        self.gate = nn.Sequential(SimpleGate(), SimpleChannelAttention(channels=hidden // 2))
        self.project = nn.Conv2d(hidden + hidden // 2, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        wide = self.expand(features)
        return self.project(torch.cat([self.lines(wide), self.gate(wide)], dim=1))


class GlobalLocalBlock(nn.Module):
    """GLTB: FFEM, then DESM, both on normalised features."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.mix = nn.Sequential(
            ChannelLayerNorm(channels=channels), GlobalLocalMix(channels=channels)
        )
        self.feed = nn.Sequential(
            ChannelLayerNorm(channels=channels), GatedLines(channels=channels)
        )

    def forward(self, features: Tensor) -> Tensor:
        features = features + self.mix(features)
        return features + self.feed(features)


def stage(channels: int, depth: int) -> nn.Sequential:
    return nn.Sequential(*(GlobalLocalBlock(channels=channels) for _ in range(depth)))


class SLCFormer(FlareNet):
    """`depths` run from the first encoder stage to the last decoder stage.

    `width` is a multiple of 4: the channels are halved twice.
    """

    def __init__(self, *, width: int = 32, depths: Sequence[int] = (2,) * 9) -> None:
        super().__init__()
        scales = len(depths) // 2
        self.multiple = 2 * 2**scales
        widths = [width * 2**scale for scale in range(scales + 1)]
        self.first = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.LeakyReLU())
        self.encoder = nn.ModuleList(stage(widths[s], depths[s]) for s in range(scales))
        self.down = nn.ModuleList(unshuffled(a, b) for a, b in pairwise(widths))
        self.bottleneck = stage(widths[scales], depths[scales])
        self.up = nn.ModuleList(
            shuffled(below, outer)
            for below, outer in zip(widths_below(widths), widths[:-1], strict=True)
        )
        self.decoder = nn.ModuleList(
            stage(2 * widths[s], depths[2 * scales - s]) for s in range(scales)
        )
        self.last = nn.Conv2d(2 * width, 6, 3, padding=1)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        features, skips = descend(self.first(picture), self.encoder, self.down)
        return self.last(ascend(self.bottleneck(features), skips, self.decoder, self.up))
