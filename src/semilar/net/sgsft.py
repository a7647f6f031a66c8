"""SGSFT (Ma et al., "Self-prior Guided Spatial and Fourier Transformer", T-ASE 2025).

A NAFNet first draws the flare; its brightness is a map of what can be trusted. The second network
takes the picture and that flare, and attends in windows to trusted places first; each stage also
works on the spectrum. Choices taken here: the network draws the change of the scene, where theirs
ends in a hyperbolic tangent; the flare is the second output, as theirs is, and starts black; maps
are shrunk for any size.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d, interpolate, leaky_relu

from semilar.net.fourier import SpectrumLayers, pixel_layers
from semilar.net.interface import FlareNet, zero_last
from semilar.net.nafnet import NAFNet
from semilar.net.norm import ChannelLayerNorm
from semilar.net.windows import from_windows, relative_index, shift_mask, to_windows

SIDE = 8


class TrustedAttention(nn.Module):
    """Attention in windows whose scores fall by 100 where the map (B, 1, H, W) is 0."""

    def __init__(self, *, channels: int, heads: int, shift: int) -> None:
        super().__init__()
        self.heads, self.shift = heads, shift
        self.offset_bias = nn.Parameter(torch.zeros((2 * SIDE - 1) ** 2, heads))
        self.register_buffer("offsets", relative_index(SIDE), persistent=False)
        self.mix = nn.Linear(channels, 3 * channels)
        self.project = nn.Linear(channels, channels)
        nn.init.trunc_normal_(self.offset_bias, std=0.02)

    def forward(self, features: Tensor, trust: Tensor | None) -> Tensor:
        back = (self.shift, self.shift)
        shape = features.shape
        windows = to_windows(features.roll((-self.shift, -self.shift), dims=(2, 3)), SIDE)
        query, key, value = (
            self.mix(windows).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        )
        scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5
        scores = scores + self.offset_bias[self.get_buffer("offsets")].permute(2, 0, 1)
        if self.shift:
            mask = shift_mask(shape[2], shape[3], SIDE, self.shift, features.device)
            scores = scores.unflatten(0, (shape[0], -1)).masked_fill(mask[:, None], -1e4)
            scores = scores.flatten(0, 1)
        if trust is not None:
            rolled = to_windows(trust.roll((-self.shift, -self.shift), dims=(2, 3)), SIDE)
            scores = scores + 100 * (rolled.transpose(-1, -2)[:, None] - 1)
        mixed = (scores.softmax(dim=-1) @ value).transpose(1, 2).flatten(2)
        return from_windows(self.project(mixed), SIDE, shape).roll(back, dims=(2, 3))


def spread(trust: Tensor, shift: int) -> Tensor:
    """The map after attention: what one place of a window knows, all of it know."""
    rolled = trust.roll((-shift, -shift), dims=(2, 3))
    windows = to_windows(rolled, SIDE)
    known = windows.sum(dim=1, keepdim=True).clamp(0, 1).expand(windows.shape)
    return from_windows(known, SIDE, trust.shape).roll((shift, shift), dims=(2, 3))


class TrustedBlock(nn.Module):
    """Attention, then two layers per pixel, both on normalised features."""

    def __init__(self, *, channels: int, heads: int, shift: int) -> None:
        super().__init__()
        self.norm_mix = ChannelLayerNorm(channels=channels, epsilon=1e-5)
        self.attention = TrustedAttention(channels=channels, heads=heads, shift=shift)
        self.feed = nn.Sequential(
            ChannelLayerNorm(channels=channels, epsilon=1e-5),
            nn.Conv2d(channels, 2 * channels, 1),
            nn.GELU(),
            nn.Conv2d(2 * channels, channels, 1),
        )

    def forward(self, features: Tensor, trust: Tensor | None) -> Tensor:
        features = features + self.attention(self.norm_mix(features), trust)
        return features + self.feed(features)


class SpectrumBlock(nn.Module):
    """A branch in space and one in frequency, joined."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.space = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.LeakyReLU(),
            nn.Conv2d(channels, channels, 1),
        )
        self.frequency = SpectrumLayers(
            amplitude=pixel_layers(channels), phase=pixel_layers(channels), residual=False
        )
        self.join = nn.Conv2d(2 * channels, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        both = [features + self.space(features), self.frequency(features)]
        return self.join(torch.cat(both, dim=1))


class PartialConv(nn.Module):
    """A convolution over trusted pixels only, scaled by how many of them it saw; then GELU."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bias = nn.Parameter(torch.zeros(channels, 1, 1))

    def forward(self, features: Tensor, trust: Tensor | None) -> Tensor:
        if trust is None:
            return nn.functional.gelu(self.conv(features) + self.bias)
        seen = conv2d(trust.detach(), trust.new_ones(1, 1, 3, 3), padding=1)
        scaled = self.conv(features * trust) * (9 / (seen + 1e-8)) + self.bias
        return nn.functional.gelu(torch.where(seen == 0, 0.0, scaled))


class SgsftStage(nn.Module):
    """Blocks, every second one shifted, the spectrum, and a convolution beside a shortcut."""

    def __init__(self, *, channels: int, depth: int, heads: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(
            TrustedBlock(channels=channels, heads=heads, shift=SIDE // 2 if block % 2 else 0)
            for block in range(depth)
        )
        self.spectrum = SpectrumBlock(channels=channels)
        self.conv = PartialConv(channels=channels)

    def forward(self, features: Tensor, trust: Tensor | None) -> Tensor:
        mixed = features
        for number, block in enumerate(self.blocks):
            mixed = block(mixed, trust)
            if trust is not None:
                trust = spread(trust, SIDE // 2 if number % 2 else 0)
        return features + self.conv(self.spectrum(mixed), trust)


class Contrast(nn.Module):
    """The first features, scaled and moved by what the drawn flare says."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, channels, 5, padding=2), nn.GELU())
        self.look = nn.Sequential(nn.Conv2d(3, channels, 3, padding=1), nn.ReLU())
        self.scale = nn.Conv2d(channels, channels, 3, padding=1)
        self.move = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, picture: Tensor, flare: Tensor) -> Tensor:
        seen = self.look(flare)
        return leaky_relu(self.first(picture) * (1 - self.scale(seen)) + self.move(seen), 0.2)


def resize_conv(inner: int, outer: int, *, stride: int = 1) -> list[nn.Module]:
    return [nn.Conv2d(inner, outer, 3, stride=stride, padding=1), nn.GELU()]


class SGSFT(FlareNet):
    """`encoder` and `decoder` are blocks per stage, finest first; `prior` sizes the NAFNet."""

    def __init__(
        self,
        *,
        width: int = 64,
        encoder: Sequence[int] = (6, 4, 2),
        bottleneck: int = 2,
        decoder: Sequence[int] = (2, 2, 2),
        prior_width: int = 32,
        prior_depths: Sequence[int] = (1, 1, 1, 16),
    ) -> None:
        super().__init__()
        stages = len(encoder)
        self.multiple = max(2 * SIDE * 2 ** (stages - 1), 2 ** len(prior_depths))
        widths = [width * 2**stage for stage in range(stages)]
        self.prior = NAFNet(
            width=prior_width,
            encoder=prior_depths,
            middle=1,
            decoder=(1,) * len(prior_depths),
            outputs=3,
        )
        self.first = Contrast(channels=width)
        self.shrink = nn.Sequential(*resize_conv(width, width, stride=2))
        self.encoder = nn.ModuleList(
            SgsftStage(channels=w, depth=depth, heads=2**s)
            for s, (w, depth) in enumerate(zip(widths, encoder, strict=True))
        )
        self.down = nn.ModuleList(
            nn.Sequential(*resize_conv(w, 2 * w, stride=2)) for w in widths[:-1]
        )
        self.bottleneck = SgsftStage(channels=widths[-1], depth=bottleneck, heads=2 ** (stages - 1))
        self.decoder = nn.ModuleList(
            SgsftStage(channels=2 * w, depth=depth, heads=2**s)
            for s, (w, depth) in enumerate(zip(widths, decoder, strict=True))
        )
        self.up = nn.ModuleList(
            nn.Sequential(nn.Upsample(scale_factor=2), *resize_conv(4 * w, w)) for w in widths[:-1]
        )
        self.enlarge = nn.Sequential(
            nn.Upsample(scale_factor=2, mode="bilinear"), *resize_conv(2 * width, 2 * width)
        )
        self.last = nn.Conv2d(2 * width, 3, 1)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        flare = self.prior.planes(picture)
        trust = (1 - flare.mean(dim=1, keepdim=True)).clamp(0, 1)
        maps = [interpolate(trust, scale_factor=0.5 ** (s + 1)) for s in range(len(self.encoder))]
        features = self.shrink(self.first(picture, flare))
        skips: list[Tensor] = []
        for scale, stage in enumerate(self.encoder):
            features = stage(features, maps[scale])
            skips.append(features)
            if scale < len(self.down):
                features = self.down[scale](features)
        features = self.bottleneck(features, None)
        for scale in reversed(range(len(self.decoder))):
            joined = torch.cat([features, skips.pop()], dim=1)
            features = self.decoder[scale](joined, maps[scale])
            if scale:
                features = self.up[scale - 1](features)
        return torch.cat([self.last(self.enlarge(features)), flare], dim=1)
