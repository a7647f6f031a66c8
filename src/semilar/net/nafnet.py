"""NAFNet (Chen, Chu, Zhang, Sun, "Simple Baselines for Image Restoration", ECCV 2022)."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from semilar.net.interface import FlareNet, zero_last
from semilar.net.norm import ChannelLayerNorm
from semilar.net.pyramid import descend


class SimpleGate(nn.Module):
    """Product of the two halves of the channels: the network's only non-linearity."""

    def forward(self, features: Tensor) -> Tensor:
        left, right = features.chunk(2, dim=1)
        return left * right


class SimpleChannelAttention(nn.Module):
    """Channels weighed by a linear map of their means."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.weigh = nn.Conv2d(channels, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        return features * self.weigh(features.mean(dim=(2, 3), keepdim=True))


class NAFBlock(nn.Module):
    """Gated depth-wise mixing, then a gated feed-forward, each with a gain that starts at 0."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        wide = 2 * channels
        self.mix = nn.Sequential(
            ChannelLayerNorm(channels=channels),
            nn.Conv2d(channels, wide, 1),
            nn.Conv2d(wide, wide, 3, padding=1, groups=wide),
            SimpleGate(),
            SimpleChannelAttention(channels=channels),
            nn.Conv2d(channels, channels, 1),
        )
        self.feed = nn.Sequential(
            ChannelLayerNorm(channels=channels),
            nn.Conv2d(channels, wide, 1),
            SimpleGate(),
            nn.Conv2d(channels, channels, 1),
        )
        self.mix_gain = nn.Parameter(torch.zeros(channels, 1, 1))
        self.feed_gain = nn.Parameter(torch.zeros(channels, 1, 1))

    def forward(self, features: Tensor) -> Tensor:
        features = features + self.mix(features) * self.mix_gain
        return features + self.feed(features) * self.feed_gain


def stage(width: int, depth: int) -> nn.Sequential:
    return nn.Sequential(*(NAFBlock(channels=width) for _ in range(depth)))


class NAFNet(FlareNet):
    """A U of NAFBlocks; widths double at every step down, skips are added; `outputs` planes."""

    def __init__(
        self,
        *,
        width: int = 32,
        encoder: Sequence[int] = (2, 2, 4, 8),
        middle: int = 12,
        decoder: Sequence[int] = (2, 2, 2, 2),
        outputs: int = 6,
    ) -> None:
        super().__init__()
        if len(encoder) != len(decoder):
            raise ValueError(f"{len(encoder)} encoder stages need as many decoder stages")
        steps = len(encoder)
        self.multiple = 2**steps
        widths = [width * 2**step for step in range(steps + 1)]
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.encoder = nn.ModuleList(stage(widths[s], encoder[s]) for s in range(steps))
        self.down = nn.ModuleList(
            nn.Conv2d(widths[s], widths[s + 1], 2, stride=2) for s in range(steps)
        )
        self.middle = stage(widths[-1], middle)
        self.up = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(widths[s + 1], 2 * widths[s + 1], 1, bias=False), nn.PixelShuffle(2)
            )
            for s in reversed(range(steps))
        )
        self.decoder = nn.ModuleList(
            stage(widths[s], depth)
            for s, depth in zip(reversed(range(steps)), decoder, strict=True)
        )
        self.last = nn.Conv2d(width, outputs, 3, padding=1)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        features = self.first(picture)
        features, skips = descend(features, self.encoder, self.down)
        features = self.middle(features)
        for up, decode in zip(self.up, self.decoder, strict=True):
            features = decode(up(features) + skips.pop())
        return self.last(features)
