"""MFDNet (Jiang et al., "MFDNet: Multi-Frequency Deflare Network", The Visual Computer 2024).

A Laplacian pyramid of three bands. The low band holds the flare's glow and gets the network's
weight: axis attention in layers, and a NAFNet beside it. The two high bands get a mask from all
bands, then dilated convolutions.

The paper's network draws the picture anew. For training here it draws the change instead
(`residual`), so that it starts as the identity; its three last layers are zero or have a gain of
zero. Weights that others trained take `residual=False`.
"""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, gelu, interpolate, normalize, pixel_unshuffle

from semilar.net.cubic import enlarge_cubic
from semilar.net.external import flare_between
from semilar.net.interface import FlareNet, mirrored, zero_last
from semilar.net.nafnet import NAFNet
from semilar.net.norm import ChannelLayerNorm
from semilar.net.restormer import GatedFeedForward

Activation = Literal["leaky", "prelu"]
_BINOMIAL = (1.0, 4.0, 6.0, 4.0, 1.0)


def mirror_pad(features: Tensor, padding: int) -> Tensor:
    """Mirror the borders by `padding`, which may exceed the picture."""
    height, width = features.shape[-2:]
    rows, columns = (
        mirrored(torch.arange(-padding, side + padding, device=features.device), side)
        for side in (height, width)
    )
    return features[:, :, rows][:, :, :, columns]


def smooth(picture: Tensor, gain: float = 1.0) -> Tensor:
    """Binomial blur of 5 x 5, borders mirrored, times `gain`."""
    line = picture.new_tensor(_BINOMIAL) / 16
    channels = picture.shape[1]
    kernel = (line[:, None] * line * gain).expand(channels, 1, 5, 5)
    return conv2d(mirror_pad(picture, 2), kernel, groups=channels)


def halved(picture: Tensor) -> Tensor:
    """Every other row and column of an even-sided picture.

    A slice with a step would do; the ONNX exporter cannot see that its size is half.
    """
    return pixel_unshuffle(picture, 2)[:, ::4]


def means_of_squares(picture: Tensor, side: int) -> Tensor:
    """The mean of every square of `side` pixels; sides are multiples of it."""
    return pixel_unshuffle(picture, side).unflatten(1, (-1, side * side)).mean(dim=2)


def doubled(picture: Tensor) -> Tensor:
    """Every pixel as a square of four."""
    height, width = picture.shape[-2:]
    return interpolate(picture, size=(2 * height, 2 * width))


def enlarge(picture: Tensor) -> Tensor:
    """Twice the size: zeros between the samples, then the blur."""
    wide = torch.stack([picture, torch.zeros_like(picture)], dim=-1).flatten(-2)
    return smooth(torch.stack([wide, torch.zeros_like(wide)], dim=-2).flatten(-3, -2), gain=4.0)


def bands(picture: Tensor, levels: int) -> list[Tensor]:
    """The Laplacian pyramid, finest band first, the low band last."""
    found = []
    for _ in range(levels):
        small = halved(smooth(picture))
        found.append(picture - enlarge(small))
        picture = small
    return [*found, picture]


def joined(pyramid: list[Tensor]) -> Tensor:
    """The picture of a pyramid; undoes `bands`."""
    *high, picture = pyramid
    for band in reversed(high):
        picture = enlarge(picture) + band
    return picture


class LineAttention(nn.Module):
    """Attention within every row."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        triple = 3 * channels
        self.mix = nn.Sequential(
            nn.Conv2d(channels, triple, 1),
            nn.Conv2d(triple, triple, 3, padding=1, groups=triple),
            nn.Conv2d(triple, triple, 3, padding=1, groups=triple),
        )
        self.temperature = nn.Parameter(torch.ones(1))
        self.project = nn.Conv2d(channels, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        query, key, value = (
            part.permute(0, 2, 3, 1) for part in self.mix(features).chunk(3, dim=1)
        )  # (B, H, W, C)
        likeness = normalize(query, dim=-1) @ normalize(key, dim=-1).transpose(-1, -2)
        mixed = (likeness * self.temperature).softmax(dim=-1) @ value
        return self.project(mixed.permute(0, 3, 1, 2))


class DualGate(GatedFeedForward):
    """Two depth-wise branches, each the GELU gate of the other."""

    def forward(self, features: Tensor) -> Tensor:
        first, second = self.mix(features).chunk(2, dim=1)
        return self.project(gelu(second) * first + gelu(first) * second)


class AxisBlock(nn.Module):
    """Attention along rows, then along columns, then the dual gate."""

    def __init__(self, *, channels: int, expansion: float = 2.66) -> None:
        super().__init__()
        self.norm_mix = ChannelLayerNorm(channels=channels, epsilon=1e-5)
        self.rows = LineAttention(channels=channels)
        self.columns = LineAttention(channels=channels)
        self.norm_feed = ChannelLayerNorm(channels=channels, epsilon=1e-5)
        self.feed = DualGate(channels=channels, expansion=expansion)

    def forward(self, features: Tensor) -> Tensor:
        mixed = self.rows(self.norm_mix(features)).transpose(-1, -2)
        features = features + self.columns(mixed).transpose(-1, -2)
        return features + self.feed(self.norm_feed(features))


class LayerAttention(nn.Module):
    """Three layers in a row whose results attend to each other, then one mix of them."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        total = 3 * channels
        self.layers = nn.ModuleList(AxisBlock(channels=channels) for _ in range(3))
        self.temperature = nn.Parameter(torch.ones(1))
        self.mix = nn.Sequential(
            nn.Conv2d(total, 3 * total, 1),
            nn.Conv2d(3 * total, 3 * total, 3, padding=1, groups=3 * total),
        )
        self.project = nn.Conv2d(total, total, 1)
        self.fuse = nn.Conv2d(total, channels, 1, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        results = []
        for layer in self.layers:
            features = layer(features)
            results.append(features)
        stacked = torch.cat(results, dim=1)
        query, key, value = (
            part.unflatten(1, (3, -1)).flatten(2) for part in self.mix(stacked).chunk(3, dim=1)
        )  # (B, layer, everything)
        likeness = normalize(query, dim=-1) @ normalize(key, dim=-1).transpose(-1, -2)
        mixed = (likeness * self.temperature).softmax(dim=-1) @ value
        return self.fuse(self.project(mixed.reshape(stacked.shape)) + stacked)


class LowBand(nn.Module):
    """The low band: layers of axis attention before and after a NAFNet that runs beside one."""

    def __init__(self, *, channels: int, width: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, channels, 3, padding=1, bias=False)
        self.before = LayerAttention(channels=channels)
        self.beside = AxisBlock(channels=channels)
        self.deep = NAFNet(
            width=width, encoder=(1, 2, 4), middle=10, decoder=(4, 2, 1), outputs=channels
        )
        self.shares = nn.Parameter(torch.ones(2, channels, 1, 1))
        self.after = LayerAttention(channels=channels)
        self.last = nn.Conv2d(channels, 3, 3, padding=1, bias=False)

    def forward(self, low: Tensor) -> Tensor:
        features = self.before(self.first(low))
        deep = features + self.deep.planes(features)
        features = self.shares[0] * self.beside(features) + self.shares[1] * deep
        return self.last(self.after(features))


class MirrorConv(nn.Module):
    """Convolution over mirrored borders, then an activation; `normalise` before it if wanted."""

    def __init__(
        self,
        inner: int,
        outer: int,
        *,
        side: int = 3,
        dilation: int = 1,
        activation: Activation = "leaky",
        normalise: bool = False,
    ) -> None:
        super().__init__()
        self.padding = dilation * (side - 1) // 2
        self.conv = nn.Conv2d(inner, outer, side, dilation=dilation)
        self.norm = nn.InstanceNorm2d(outer) if normalise else nn.Identity()
        self.activation = nn.LeakyReLU(0.2) if activation == "leaky" else nn.PReLU()

    def forward(self, features: Tensor) -> Tensor:
        padded = mirror_pad(features, self.padding) if self.padding else features
        return self.activation(self.norm(self.conv(padded)))


class DilatedStage(nn.Module):
    """Two dilated convolutions in a row; input and both results, weighed per channel, are mixed."""

    def __init__(self, *, dilations: tuple[int, int], activation: Activation) -> None:
        super().__init__()
        self.first = MirrorConv(3, 3, dilation=dilations[0])
        self.second = MirrorConv(3, 3, dilation=dilations[1])
        self.squeeze = nn.Conv2d(9, 1, 1)
        self.excite = nn.Conv2d(1, 9, 1)
        self.mix = MirrorConv(9, 3, activation=activation, normalise=activation == "prelu")

    def forward(self, band: Tensor) -> Tensor:
        first = self.first(band)
        stacked = torch.cat([band, first, self.second(first)], dim=1)
        means = stacked.mean(dim=(2, 3), keepdim=True)
        return self.mix(stacked * self.excite(self.squeeze(means).relu()).sigmoid())


class PooledMix(nn.Module):
    """The band beside its means over squares of 4, 8, 16 and 32 pixels."""

    def __init__(self, *, activation: Activation) -> None:
        super().__init__()
        self.levels = nn.ModuleList(
            MirrorConv(3, 3, side=1, activation=activation) for _ in range(4)
        )
        self.mix = MirrorConv(15, 3, activation=activation)

    def forward(self, band: Tensor) -> Tensor:
        pooled = []
        for level, conv in enumerate(self.levels):
            side = 4 * 2**level
            pooled.append(enlarge_cubic(conv(means_of_squares(band, side)), side))
        return self.mix(torch.cat([*pooled, band], dim=1))


class Residual(nn.Module):
    """Two convolutions beside the identity."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.LeakyReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def forward(self, features: Tensor) -> Tensor:
        return features + self.body(features)


def repaint() -> nn.Sequential:
    """How the mask changes from one band to the next."""
    return nn.Sequential(nn.Conv2d(3, 16, 1), nn.LeakyReLU(), nn.Conv2d(16, 3, 1))


class HighBands(nn.Module):
    """Both high bands, multiplied with a mask and refined; given and returned finest first."""

    def __init__(self, *, width: int, activation: Activation) -> None:
        super().__init__()
        self.mask = nn.Sequential(
            nn.Conv2d(9, width, 3, padding=1),
            nn.LeakyReLU(),
            *(Residual(channels=width) for _ in range(3)),
            nn.Conv2d(width, 3, 3, padding=1),
        )
        self.repaint_middle = repaint()
        self.repaint_fine = repaint()
        self.middle = DilatedStage(dilations=(2, 4), activation=activation)
        self.fine = nn.Sequential(
            DilatedStage(dilations=(8, 16), activation=activation),
            DilatedStage(dilations=(32, 64), activation=activation),
            PooledMix(activation=activation),
        )
        self.last = nn.Conv2d(3, 3, 1)

    def forward(self, pyramid: list[Tensor], low: Tensor) -> tuple[Tensor, Tensor]:
        fine, middle, coarse = pyramid
        seen = [middle, *map(doubled, (coarse, low))]
        mask = self.repaint_middle(self.mask(torch.cat(seen, dim=1)))
        refined = self.middle(middle * mask + middle)
        mask = self.repaint_fine(doubled(mask))
        return self.last(self.fine(fine * mask + fine)), refined


class MFDNet(FlareNet):
    """6.35 M parameters in its authors' code; `low_width` and `high_width` size its parts.

    `activation` is that of the mixing layers, of which two kinds are about: leaky ReLU, or PReLU
    after instance normalisation.
    """

    def __init__(
        self,
        *,
        channels: int = 3,
        low_width: int = 32,
        high_width: int = 64,
        activation: Activation = "leaky",
        residual: bool = True,
    ) -> None:
        super().__init__()
        self.multiple = 32
        self.low = LowBand(channels=channels, width=low_width)
        self.high = HighBands(width=high_width, activation=activation)
        self.middle_gain = nn.Parameter(torch.zeros(3, 1, 1)) if residual else None
        if residual:
            zero_last(self.low.last)
            zero_last(self.high.last)

    def planes(self, picture: Tensor) -> Tensor:
        """Six planes, or with `residual=False` three, which are the scene."""
        pyramid = bands(picture, 2)
        low = self.low(pyramid[-1])
        if self.middle_gain is None:
            return joined([*self.high(pyramid, low), low])
        fine, middle = self.high(pyramid, pyramid[-1] + low)
        change = joined([fine, middle * self.middle_gain, low])
        return torch.cat([change, flare_between(picture, picture + change)], dim=1)
