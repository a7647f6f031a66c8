"""HINet (Chen et al., "Half Instance Normalization Network", CVPR workshops 2021)."""

from collections.abc import Collection

import torch
from torch import Tensor, nn

from semilar.net.interface import FlareNet, zero_last

SLOPE = 0.2


def conv3(inner: int, outer: int) -> nn.Conv2d:
    return nn.Conv2d(inner, outer, 3, padding=1)


class HalfInstanceNorm(nn.Module):
    """Instance normalisation of the first half of the channels; the rest keeps its contrast."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels // 2, affine=True)

    def forward(self, features: Tensor) -> Tensor:
        first, second = features.chunk(2, dim=1)
        return torch.cat([self.norm(first), second], dim=1)


class HINBlock(nn.Module):
    """Two 3 x 3 convolutions, the first half-normalised, beside a 1 x 1 shortcut."""

    def __init__(self, *, inner: int, outer: int, normalise: bool = True) -> None:
        super().__init__()
        norm = HalfInstanceNorm(channels=outer) if normalise else nn.Identity()
        self.body = nn.Sequential(
            conv3(inner, outer),
            norm,
            nn.LeakyReLU(SLOPE),
            conv3(outer, outer),
            nn.LeakyReLU(SLOPE),
        )
        self.shortcut = nn.Conv2d(inner, outer, 1)

    def forward(self, features: Tensor) -> Tensor:
        return self.body(features) + self.shortcut(features)


class Subnet(nn.Module):
    """One of the two stages: a U-Net of HINBlocks going down and plain blocks going up.

    The second subnet takes the first one's encoder and decoder features scale by scale
    (cross-stage feature fusion).
    """

    def __init__(self, *, width: int, depth: int, fuse: bool, normalised: Collection[int]) -> None:
        super().__init__()
        widths = [width * 2**scale for scale in range(depth)]
        inner = [width, *widths[:-1]]
        self.encoder = nn.ModuleList(
            HINBlock(inner=inner[scale], outer=widths[scale], normalise=scale in normalised)
            for scale in range(depth)
        )
        self.down = nn.ModuleList(
            nn.Conv2d(w, w, 4, stride=2, padding=1, bias=False) for w in widths[:-1]
        )
        self.fuse_encoded = nn.ModuleList(conv3(w, w) for w in widths[:-1] if fuse)
        self.fuse_decoded = nn.ModuleList(conv3(w, w) for w in widths[:-1] if fuse)
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(2 * w, w, 2, stride=2) for w in reversed(widths[:-1])
        )
        self.skip = nn.ModuleList(conv3(w, w) for w in reversed(widths[:-1]))
        self.decoder = nn.ModuleList(
            HINBlock(inner=2 * w, outer=w, normalise=False) for w in reversed(widths[:-1])
        )

    def forward(
        self, features: Tensor, earlier: tuple[list[Tensor], list[Tensor]] | None = None
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Encoder and decoder features, finest first; `earlier` are those of the first subnet."""
        encoded: list[Tensor] = []
        for scale, down in enumerate(self.down):
            features = self.encoder[scale](features)
            if earlier:
                features = features + self.fuse_encoded[scale](earlier[0][scale])
                features = features + self.fuse_decoded[scale](earlier[1][scale])
            encoded.append(features)
            features = down(features)
        features = self.encoder[-1](features)
        decoded: list[Tensor] = []
        for up, skip, decode, kept in zip(
            self.up, self.skip, self.decoder, reversed(encoded), strict=True
        ):
            features = decode(torch.cat([up(features), skip(kept)], dim=1))
            decoded.insert(0, features)
        return encoded, decoded


class SupervisedAttention(nn.Module):
    """SAM: the first stage's picture decides which of its features the second stage sees."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        self.keep = conv3(channels, channels)
        self.draw = conv3(channels, 3)
        self.attend = conv3(3, channels)

    def forward(self, features: Tensor, picture: Tensor) -> Tensor:
        drawn = self.draw(features) + picture
        return features + self.keep(features) * self.attend(drawn).sigmoid()


class HINet(FlareNet):
    """Two subnets in a row; the second corrects what the first one made of the picture.

    `outputs` is the number of planes. `normalised` are the scales of the encoders, finest first
    from 0, whose blocks are half-normalised; without it, all are.
    """

    def __init__(
        self,
        *,
        width: int = 64,
        depth: int = 5,
        normalised: Collection[int] | None = None,
        outputs: int = 6,
    ) -> None:
        super().__init__()
        normalised = range(depth) if normalised is None else normalised
        self.multiple = 2**depth  # twice what the U needs: a single pixel has no contrast
        self.first_in = conv3(3, width)
        self.first = Subnet(width=width, depth=depth, fuse=False, normalised=normalised)
        self.attention = SupervisedAttention(channels=width)
        self.second_in = conv3(3, width)
        self.merge = nn.Conv2d(2 * width, width, 1)
        self.second = Subnet(width=width, depth=depth, fuse=True, normalised=normalised)
        self.last = conv3(width, outputs)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        earlier = self.first(self.first_in(picture))
        attended = self.attention(earlier[1][0], picture)
        features = self.merge(torch.cat([self.second_in(picture), attended], dim=1))
        _, decoded = self.second(features, earlier)
        return self.last(decoded[0])
