"""RaLiFormer as its authors run it, for their weights; `raliformer` is what their paper describes.

The differences: the rank branch is added after the attention, CAB is convolutional, the
feed-forward has no directions, pictures shrink by strided convolutions, skips are joined.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from semilar.net.cab import ConvGate
from semilar.net.interface import FlareNet, zero_last
from semilar.net.norm import ChannelLayerNorm
from semilar.net.pyramid import ascend, descend, doublings, halvings
from semilar.net.relina import ReLinA


class SplitFeedForward(nn.Module):
    """Half of the hidden channels is gated and weighed per channel, half convolved depth-wise."""

    def __init__(self, *, channels: int, expansion: int) -> None:
        super().__init__()
        hidden = channels * expansion
        half, quarter = hidden // 2, hidden // 4
        self.expand = nn.Sequential(nn.Conv2d(channels, hidden, 1), nn.GELU())
        self.weigh = nn.Conv2d(quarter, quarter, 1)
        self.gated = nn.Conv2d(quarter, half, 1)
        self.local = nn.Sequential(
            nn.Conv2d(half, half, 3, padding=1, groups=half),
            nn.ReLU(inplace=True),
            nn.Conv2d(half, half, 3, padding=1, groups=half),
        )
        self.project = nn.Conv2d(hidden, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        gated, spatial = self.expand(features).chunk(2, dim=1)
        left, right = gated.chunk(2, dim=1)
        product = left * right
        weighed = product * self.weigh(product.mean(dim=(2, 3), keepdim=True))
        return self.project(torch.cat([self.gated(weighed), self.local(spatial)], dim=1))


class AuthorsBlock(nn.Module):
    """X' = X + A(X) + G(X), X'' = X' + F(X'), each branch on layer-normalised features."""

    def __init__(self, *, channels: int, heads: int, expansion: int) -> None:
        super().__init__()
        self.norm_mix = ChannelLayerNorm(channels=channels)
        # Their epsilon is added to a sum over all pixels, ours to its mean.
        self.attention = ReLinA(channels=channels, heads=heads, rank_branch="after", epsilon=1e-12)
        self.channel = ConvGate(channels=channels)
        self.norm_feed = ChannelLayerNorm(channels=channels)
        self.feed = SplitFeedForward(channels=channels, expansion=expansion)

    def forward(self, features: Tensor) -> Tensor:
        normal = self.norm_mix(features)
        features = features + self.attention(normal) + self.channel(normal)
        return features + self.feed(self.norm_feed(features))


class AuthorsRaLiFormer(FlareNet):
    """Four scales and a bottleneck; `stem` 2 halves the picture first. 28,095,662 parameters.

    `depths` and `heads` run from the first encoder stage to the last decoder stage.
    """

    def __init__(
        self,
        *,
        width: int = 32,
        depths: Sequence[int] = (2,) * 9,
        heads: Sequence[int] = (1, 2, 4, 8, 16, 16, 8, 4, 2),
        expansion: int = 4,
        stem: int = 2,
        outputs: int = 6,
    ) -> None:
        super().__init__()
        scales = len(depths) // 2
        self.multiple = stem * 2**scales
        widths = [width * 2**scale for scale in range(scales + 1)]

        def stage(channels: int, place: int) -> nn.Sequential:
            return nn.Sequential(
                *(
                    AuthorsBlock(channels=channels, heads=heads[place], expansion=expansion)
                    for _ in range(depths[place])
                )
            )

        self.first = nn.Sequential(
            nn.Conv2d(3, width, 3, stride=stem, padding=1), nn.LeakyReLU(inplace=True)
        )
        self.encoder = nn.ModuleList(stage(widths[s], s) for s in range(scales))
        self.down = halvings(widths)
        self.bottleneck = stage(widths[scales], scales)
        self.up = doublings(widths)
        self.decoder = nn.ModuleList(stage(2 * widths[s], 2 * scales - s) for s in range(scales))
        ending: list[nn.Module] = []
        if stem == 2:
            ending = [nn.ConvTranspose2d(2 * width, width, 2, stride=2), nn.LeakyReLU(inplace=True)]
        self.enlarge = nn.Sequential(*ending)
        self.last = nn.Conv2d(width if stem == 2 else 2 * width, outputs, 3, padding=1)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        features = self.first(picture)
        features, skips = descend(features, self.encoder, self.down)
        features = ascend(self.bottleneck(features), skips, self.decoder, self.up)
        return self.last(self.enlarge(features))
