"""The two kinds of block a RaLiFormer stage is made of."""

from torch import Tensor, nn

from semilar.net.cab import CABS, CabKind
from semilar.net.desm import DESM
from semilar.net.norm import ChannelNorm
from semilar.net.relina import RankBranch, ReLinA


class PSCBlock(nn.Module):
    """Parallel spatial-channel block (paper, appendix "Parallel Spatial-Channel Block").

        X' = X + A(X) + G(X),   X'' = X' + F(X')

    with A = ReLinA, G = CAB and F = DESM, each reading normalised features. In training, `drop` is
    the probability that a picture skips a branch.
    """

    def __init__(
        self,
        *,
        channels: int,
        heads: int,
        expansion: float = 4,
        cab: CabKind = "gate",
        rank_branch: RankBranch = "inside",
        drop: float = 0.0,
    ) -> None:
        super().__init__()
        self.norm_mix = ChannelNorm(channels=channels)
        self.attention = ReLinA(channels=channels, heads=heads, rank_branch=rank_branch)
        self.channel = CABS[cab](channels=channels)
        self.norm_feed = ChannelNorm(channels=channels)
        self.feed = DESM(channels=channels, expansion=expansion)
        self.drop = drop

    def forward(self, features: Tensor) -> Tensor:
        normal = self.norm_mix(features)
        features = features + self._dropped(self.attention(normal) + self.channel(normal))
        return features + self._dropped(self.feed(self.norm_feed(features)))

    def silence(self) -> None:
        """Make both branches give zero, so that the block passes its features on unchanged."""
        for parameter in (self.norm_mix.gain, *self.attention.project.parameters()):
            nn.init.zeros_(parameter)
        self.feed.silence()

    def _dropped(self, branch: Tensor) -> Tensor:
        return drop_path(branch, self.drop) if self.training and self.drop else branch


def drop_path(branch: Tensor, probability: float) -> Tensor:
    """Zero a residual branch for whole pictures at random; the mean over draws stays the same."""
    keep = branch.new_empty(branch.shape[0], 1, 1, 1).bernoulli_(1 - probability)
    return branch * keep / (1 - probability)


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

    def silence(self) -> None:
        """Make the branch give zero, so that the block passes its features on unchanged."""
        for parameter in self.body[-1].parameters():
            nn.init.zeros_(parameter)
