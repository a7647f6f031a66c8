"""Uformer (Wang et al., "A General U-Shaped Transformer for Image Restoration", CVPR 2022)."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from torch import Tensor, nn

from semilar.net.interface import FlareNet, zero_last
from semilar.net.norm import ChannelLayerNorm
from semilar.net.pyramid import ascend, descend, doublings, halvings
from semilar.net.windows import WindowAttention

FeedKind = Literal["leff", "mlp"]


def feed_forward(channels: int, expansion: int) -> nn.Sequential:
    """Two layers per pixel, for Uformers that do without LeFF."""
    hidden = channels * expansion
    return nn.Sequential(nn.Conv2d(channels, hidden, 1), nn.GELU(), nn.Conv2d(hidden, channels, 1))


def locally_enhanced_feed_forward(channels: int, expansion: int) -> nn.Sequential:
    """LeFF: a feed-forward whose hidden layer also looks at its 3 x 3 surroundings."""
    hidden = channels * expansion
    return nn.Sequential(
        nn.Conv2d(channels, hidden, 1),
        nn.GELU(),
        nn.Conv2d(hidden, hidden, 3, padding=1, groups=hidden),
        nn.GELU(),
        nn.Conv2d(hidden, channels, 1),
    )


FEEDS = {"leff": locally_enhanced_feed_forward, "mlp": feed_forward}


class LeWinBlock(nn.Module):
    """Window attention, then LeFF, both on normalised features."""

    def __init__(
        self,
        *,
        channels: int,
        heads: int,
        side: int,
        shift: int,
        expansion: int,
        modulated: bool,
        feed: FeedKind = "leff",
        epsilon: float = 1e-6,
    ) -> None:
        super().__init__()
        norm = partial(ChannelLayerNorm, channels=channels, epsilon=epsilon)
        self.attention = nn.Sequential(
            norm(),
            WindowAttention(
                channels=channels, heads=heads, side=side, shift=shift, modulated=modulated
            ),
        )
        self.feed = nn.Sequential(norm(), FEEDS[feed](channels, expansion))

    def forward(self, features: Tensor) -> Tensor:
        features = features + self.attention(features)
        return features + self.feed(features)


class Uformer(FlareNet):
    """Four scales and a bottleneck of LeWin blocks; joined skips double a decoder stage's width.

    `depths` and `heads` run from the first encoder stage to the last decoder stage. Every second
    block shifts its windows by half a window. `feed`, `epsilon`, `shift_bottleneck` and `outputs`,
    the number of planes, are for weights that others trained.
    """

    def __init__(
        self,
        *,
        width: int = 32,
        depths: Sequence[int] = (2,) * 9,
        heads: Sequence[int] = (1, 2, 4, 8, 16, 16, 8, 4, 2),
        side: int = 8,
        expansion: int = 4,
        modulated: bool = True,
        feed: FeedKind = "leff",
        epsilon: float = 1e-6,
        shift_bottleneck: bool = True,
        outputs: int = 6,
    ) -> None:
        super().__init__()
        scales = len(depths) // 2
        self.multiple = side * 2**scales
        widths = [width * 2**scale for scale in range(scales + 1)]

        def stage(channels: int, place: int) -> nn.Sequential:
            shifts = place != scales or shift_bottleneck
            return nn.Sequential(
                *(
                    LeWinBlock(
                        channels=channels,
                        heads=heads[place],
                        side=side,
                        shift=side // 2 if block % 2 and shifts else 0,
                        expansion=expansion,
                        modulated=modulated and place > scales,
                        feed=feed,
                        epsilon=epsilon,
                    )
                    for block in range(depths[place])
                )
            )

        self.first = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.LeakyReLU())
        self.encoder = nn.ModuleList(stage(widths[s], s) for s in range(scales))
        self.down = halvings(widths)
        self.bottleneck = stage(widths[scales], scales)
        self.up = doublings(widths)
        self.decoder = nn.ModuleList(stage(2 * widths[s], 2 * scales - s) for s in range(scales))
        self.last = nn.Conv2d(2 * width, outputs, 3, padding=1)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        features = self.first(picture)
        features, skips = descend(features, self.encoder, self.down)
        features = ascend(self.bottleneck(features), skips, self.decoder, self.up)
        return self.last(features)
