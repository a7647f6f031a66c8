"""SFSNiD (Cong et al., "A Semi-supervised Nighttime Dehazing Baseline", CVPR 2024): its network.

Three scales. A block attends in windows, with queries, keys and values from the spectrum, then
maps its features in space and in frequency. The picture itself enters again at the smaller scales.
Choices taken here: the network draws the change of the scene; the two smaller pictures that it
draws for its losses are left out; layers of a batch's pictures stay apart.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import interpolate

from semilar.net.fourier import SpectrumLayers, pixel_layers
from semilar.net.interface import FlareNet, zero_last
from semilar.net.norm import ChannelLayerNorm
from semilar.net.windows import from_windows, to_windows

SIDE = 8  # of a window


class Weigh(nn.Module):
    """Channels weighed by their means, through a sixteenth of them."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        hidden = max(channels // 16, 1)
        self.squeeze = nn.Conv2d(channels, hidden, 1, bias=False)
        self.excite = nn.Conv2d(hidden, channels, 1, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        means = features.mean(dim=(2, 3), keepdim=True)
        return features * self.excite(self.squeeze(means).relu()).sigmoid()


def spectrum_layers(channels: int) -> SpectrumLayers:
    """The paper's dynamic aggregation of spectra."""
    return SpectrumLayers(
        amplitude=pixel_layers(channels, Weigh(channels=channels)),
        phase=pixel_layers(channels, Weigh(channels=channels)),
        residual=True,
    )


class FromSpectrum(nn.Module):
    """Features and their remade spectrum, added, then mixed per pixel."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.frequency = spectrum_layers(channels)
        self.mix = nn.Conv2d(channels, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        return self.mix(self.frequency(features) + features)


def log_offsets(side: int) -> Tensor:
    """(side², side², 2): where one place of a window lies seen from another, in log steps."""
    rows, columns = torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")
    place = torch.stack([rows.flatten(), columns.flatten()], dim=-1)
    apart = (place[:, None] - place[None]).float()
    return apart.sign() * torch.log1p(apart.abs())


class SpectrumAttention(nn.Module):
    """Attention in windows beside a depth-wise convolution of the values."""

    def __init__(self, *, channels: int, heads: int = 2) -> None:
        super().__init__()
        self.heads = heads
        self.query = FromSpectrum(channels=channels)
        self.key = FromSpectrum(channels=channels)
        self.value = FromSpectrum(channels=channels)
        self.local = nn.Conv2d(
            channels, channels, 5, padding=2, groups=channels, padding_mode="reflect"
        )
        self.offset_bias = nn.Sequential(
            nn.Linear(2, 256), nn.ReLU(inplace=True), nn.Linear(256, heads)
        )
        self.register_buffer("offsets", log_offsets(SIDE), persistent=False)
        self.project = nn.Conv2d(channels, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        value = self.value(features)
        q, k, v = (self._split(part) for part in (self.query(features), self.key(features), value))
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        scores = scores + self.offset_bias(self.get_buffer("offsets")).permute(2, 0, 1)
        mixed = (scores.softmax(dim=-1) @ v).transpose(1, 2).flatten(2)
        return self.project(self.local(value) + from_windows(mixed, SIDE, features.shape))

    def _split(self, features: Tensor) -> Tensor:
        """(B, C, H, W) -> (windows, heads, places, d)."""
        return to_windows(features, SIDE).unflatten(-1, (self.heads, -1)).transpose(1, 2)


class ConvMap(nn.Module):
    """Three convolutions beside the identity."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.GELU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def forward(self, features: Tensor) -> Tensor:
        return features + self.body(features)


class BidomainBlock(nn.Module):
    """Attention, then the mapping in both domains."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.norm = ChannelLayerNorm(channels=channels, epsilon=1e-5)
        self.attention = SpectrumAttention(channels=channels)
        self.space = ConvMap(channels=channels)
        self.frequency = spectrum_layers(channels)
        self.join = nn.Conv2d(2 * channels, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        features = features + self.attention(self.norm(features))
        both = torch.cat([self.space(features), self.frequency(features)], dim=1)
        return features + self.join(both)


class SFSNiD(FlareNet):
    """`depth` blocks in each of the stages, three of the encoder and three of the decoder."""

    def __init__(self, *, width: int = 32, depth: int = 3) -> None:
        super().__init__()
        self.multiple = SIDE * 4
        widths: Sequence[int] = (width, 2 * width, 4 * width)

        def stage(channels: int) -> nn.Sequential:
            return nn.Sequential(*(BidomainBlock(channels=channels) for _ in range(depth)))

        def entry(channels: int) -> list[nn.Module]:
            return [nn.Conv2d(3, channels, 3, padding=1), nn.GELU(), ConvMap(channels=channels)]

        self.first = nn.Sequential(*entry(width))
        self.entries = nn.ModuleList(
            nn.Sequential(*entry(channels), nn.InstanceNorm2d(channels, affine=True))
            for channels in widths[1:]
        )
        self.down = nn.ModuleList(
            nn.Sequential(nn.Conv2d(w, 2 * w, 3, stride=2, padding=1), nn.GELU())
            for w in widths[:-1]
        )
        self.merge = nn.ModuleList(nn.Conv2d(2 * w, w, 3, padding=1) for w in widths[1:])
        self.encoder = nn.ModuleList(stage(w) for w in widths)
        self.decoder = nn.ModuleList(stage(w) for w in widths)
        self.up = nn.ModuleList(
            nn.Sequential(nn.ConvTranspose2d(2 * w, w, 4, stride=2, padding=1), nn.GELU())
            for w in widths[:-1]
        )
        self.reduce = nn.ModuleList(
            nn.Sequential(nn.Conv2d(2 * w, w, 1), nn.GELU()) for w in widths[:-1]
        )
        self.finish = ConvMap(channels=width)
        self.last = nn.Conv2d(width, 6, 3, padding=1)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        features = self.encoder[0](self.first(picture))
        skips: list[Tensor] = []
        for scale, (down, enter, merge) in enumerate(
            zip(self.down, self.entries, self.merge, strict=True), start=1
        ):
            skips.append(features)
            small = interpolate(picture, scale_factor=0.5**scale)
            features = merge(torch.cat([down(features), enter(small)], dim=1))
            features = self.encoder[scale](features)
        features = self.decoder[2](features)
        for scale in (1, 0):
            joined = torch.cat([self.up[scale](features), skips.pop()], dim=1)
            features = self.decoder[scale](self.reduce[scale](joined))
        return self.last(self.finish(features))
