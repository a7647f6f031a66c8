"""Restormer (Zamir et al., "Efficient Transformer for High-Resolution Restoration", CVPR 2022)."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize

from semilar.net.interface import FlareNet, zero_last
from semilar.net.norm import ChannelLayerNorm, ChannelScaleNorm
from semilar.net.pyramid import descend, shuffled, unshuffled


class TransposedAttention(nn.Module):
    """MDTA: attention between channels, so that its cost is linear in the number of pixels."""

    def __init__(self, *, channels: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.temperature = nn.Parameter(torch.ones(heads, 1, 1))
        self.mix = nn.Sequential(
            nn.Conv2d(channels, 3 * channels, 1, bias=False),
            nn.Conv2d(3 * channels, 3 * channels, 3, padding=1, groups=3 * channels, bias=False),
        )
        self.project = nn.Conv2d(channels, channels, 1, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        query, key, value = (
            part.unflatten(1, (self.heads, -1)).flatten(3)  # (B, heads, d, N)
            for part in self.mix(features).chunk(3, dim=1)
        )
        likeness = normalize(query, dim=-1) @ normalize(key, dim=-1).transpose(-1, -2)
        mixed = (likeness * self.temperature).softmax(dim=-1) @ value
        return self.project(mixed.reshape(features.shape))


class GatedFeedForward(nn.Module):
    """GDFN: two depth-wise branches, one of them a GELU gate for the other."""

    def __init__(self, *, channels: int, expansion: float) -> None:
        super().__init__()
        hidden = int(channels * expansion)
        self.mix = nn.Sequential(
            nn.Conv2d(channels, 2 * hidden, 1, bias=False),
            nn.Conv2d(2 * hidden, 2 * hidden, 3, padding=1, groups=2 * hidden, bias=False),
        )
        self.project = nn.Conv2d(hidden, channels, 1, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        gate, content = self.mix(features).chunk(2, dim=1)
        return self.project(gelu(gate) * content)


class TransformerBlock(nn.Module):
    """Channel attention, then the gated feed-forward, both on normalised features."""

    def __init__(
        self,
        *,
        channels: int,
        heads: int,
        expansion: float,
        centred: bool = True,
        epsilon: float = 1e-6,
    ) -> None:
        super().__init__()
        kind = ChannelLayerNorm if centred else ChannelScaleNorm
        norm = partial(kind, channels=channels, epsilon=epsilon)
        self.attention = nn.Sequential(
            norm(),
            TransposedAttention(channels=channels, heads=heads),
        )
        self.feed = nn.Sequential(
            norm(),
            GatedFeedForward(channels=channels, expansion=expansion),
        )

    def forward(self, features: Tensor) -> Tensor:
        features = features + self.attention(features)
        return features + self.feed(features)


class Restormer(FlareNet):
    """Four scales of transformer blocks, skips joined, and refinement at full resolution.

    `depths` and `heads` run from the finest scale to the coarsest. The finest decoder keeps the
    doubled width of its joined input; the other two are reduced to their encoder's width.
    `centred` (layer normalisation with mean and bias), `epsilon` and `outputs`, the number of
    planes, are for weights that others trained.
    """

    def __init__(
        self,
        *,
        width: int = 48,
        depths: Sequence[int] = (4, 6, 6, 8),
        heads: Sequence[int] = (1, 2, 4, 8),
        refinement: int = 4,
        expansion: float = 2.66,
        centred: bool = True,
        epsilon: float = 1e-6,
        outputs: int = 6,
    ) -> None:
        super().__init__()
        self.multiple = 8
        block = partial(TransformerBlock, expansion=expansion, centred=centred, epsilon=epsilon)
        widths = [width * 2**scale for scale in range(4)]
        decoded = [widths[1], widths[1], widths[2]]

        def stage(channels: int, scale: int, depth: int) -> nn.Sequential:
            return nn.Sequential(
                *(block(channels=channels, heads=heads[scale]) for _ in range(depth))
            )

        self.first = nn.Conv2d(3, width, 3, padding=1, bias=False)
        self.encoder = nn.ModuleList(stage(widths[s], s, depths[s]) for s in range(3))
        self.down = nn.ModuleList(unshuffled(a, b) for a, b in pairwise(widths))
        self.bottleneck = stage(widths[3], 3, depths[3])
        self.up = nn.ModuleList(shuffled(b, a) for a, b in pairwise(widths))
        self.reduce = nn.ModuleList(
            nn.Identity() if s == 0 else nn.Conv2d(2 * widths[s], widths[s], 1, bias=False)
            for s in range(3)
        )
        self.decoder = nn.ModuleList(stage(decoded[s], s, depths[s]) for s in range(3))
        self.refine = stage(decoded[0], 0, refinement)
        self.last = nn.Conv2d(decoded[0], outputs, 3, padding=1, bias=False)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        features = self.first(picture)
        features, skips = descend(features, self.encoder, self.down)
        features = self.bottleneck(features)
        for scale in (2, 1, 0):
            joined = torch.cat([self.up[scale](features), skips.pop()], dim=1)
            features = self.decoder[scale](self.reduce[scale](joined))
        return self.last(self.refine(features))
