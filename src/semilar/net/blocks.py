"""The two kinds of block a RaLiFormer stage is made of."""

from torch import Tensor, nn

from semilar.net.cab import CABS, CabKind
from semilar.net.desm import DESM
from semilar.net.norm import ChannelNorm
from semilar.net.relina import RankBranch, ReLinA


class PSCBlock(nn.Module):
    """Parallel spatial-channel block (paper, appendix "Parallel Spatial-Channel Block").

        X' = X + A(X) + G(X),   X'' = X' + F(X')

    with A = ReLinA, G = CAB and F = DESM, each reading normalised features.
    """

    def __init__(
        self,
        *,
        channels: int,
        heads: int,
        expansion: float = 4,
        cab: CabKind = "gate",
        rank_branch: RankBranch = "inside",
    ) -> None:
        super().__init__()
        self.norm_mix = ChannelNorm(channels=channels)
        self.attention = ReLinA(channels=channels, heads=heads, rank_branch=rank_branch)
        self.channel = CABS[cab](channels=channels)
        self.norm_feed = ChannelNorm(channels=channels)
        self.feed = DESM(channels=channels, expansion=expansion)

    def forward(self, features: Tensor) -> Tensor:
        normal = self.norm_mix(features)
        features = features + self.attention(normal) + self.channel(normal)
        return features + self.feed(self.norm_feed(features))


class ConvBlock(nn.Module):
    """Two plain 3 x 3 convolutions around an activation: what a CPU does fastest."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            ChannelNorm(channels=channels),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.GELU(),
            nn.Conv2d(channels, channels, 3, padding=1),
        )

    def forward(self, features: Tensor) -> Tensor:
        return features + self.body(features)
