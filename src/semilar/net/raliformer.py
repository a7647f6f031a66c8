"""RaLiFormer, the generator (paper, section "RaLiFormer Generator Structure" and appendix A)."""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn

from semilar.net.blocks import ConvBlock, PSCBlock
from semilar.net.cab import CabKind
from semilar.net.interface import FlareNet, zero_last
from semilar.net.pyramid import descend
from semilar.net.relina import RankBranch

BlockKind = Literal["psc", "conv"]
SkipKind = Literal["concat", "add"]


class RaLiFormer(FlareNet):
    """U-shaped: input projection, encoder stages, bottleneck, mirrored decoder, output projection.

    `widths` are the channels of the encoder stages and the bottleneck, each at half the resolution
    of the one before, `depths` the number of blocks from the first encoder stage to the last
    decoder stage, and `blocks` their kind per scale. `stem` is the factor by which the input
    projection shrinks the picture. `skip` joins the encoder's features by concatenation, which
    doubles a decoder stage's width, or by addition as in the paper's formula. `drop_path` is the
    probability to skip a branch in the bottleneck; it falls to zero towards both ends.
    """

    def __init__(
        self,
        *,
        widths: Sequence[int] = (32, 64, 128, 256, 512),
        depths: Sequence[int] = (2,) * 9,
        head_width: int = 32,
        blocks: Sequence[BlockKind] = ("psc",) * 5,
        stem: int = 2,
        expansion: float = 4,
        skip: SkipKind = "concat",
        cab: CabKind = "gate",
        rank_branch: RankBranch = "inside",
        drop_path: float = 0.0,
    ) -> None:
        super().__init__()
        scales = len(widths)
        if len(depths) != 2 * scales - 1 or len(blocks) != scales:
            raise ValueError(
                f"{scales} widths need {2 * scales - 1} depths and {scales} kinds of block"
            )
        self.multiple = stem * 2 ** (scales - 1)
        self.skip: SkipKind = skip

        psc_block = partial(PSCBlock, expansion=expansion, cab=cab, rank_branch=rank_branch)

        def stage(width: int, scale: int, depth: int) -> nn.Sequential:
            if blocks[scale] == "conv":
                return nn.Sequential(*(ConvBlock(channels=width) for _ in range(depth)))
            heads = max(width // head_width, 1)
            drop = drop_path * scale / max(scales - 1, 1)
            return nn.Sequential(
                *(psc_block(channels=width, heads=heads, drop=drop) for _ in range(depth))
            )

        joined = [width * (2 if skip == "concat" else 1) for width in widths[:-1]]
        below = [*joined[1:], widths[-1]]
        self.project_in = nn.Sequential(
            nn.PixelUnshuffle(stem), nn.Conv2d(3 * stem**2, widths[0], 3, padding=1)
        )
        self.encoder = nn.ModuleList(stage(widths[s], s, depths[s]) for s in range(scales - 1))
        self.shrink = nn.ModuleList(
            nn.Conv2d(widths[s], widths[s + 1], 2, stride=2) for s in range(scales - 1)
        )
        self.bottleneck = stage(widths[-1], scales - 1, depths[scales - 1])
        self.enlarge = nn.ModuleList(
            nn.Sequential(nn.Conv2d(below[s], 4 * widths[s], 1), nn.PixelShuffle(2))
            for s in range(scales - 1)
        )
        self.decoder = nn.ModuleList(stage(joined[s], s, depths[-1 - s]) for s in range(scales - 1))
        last = nn.Conv2d(joined[0], 6 * stem**2, 3, padding=1)
        zero_last(last)
        self.project_out = nn.Sequential(last, nn.PixelShuffle(stem))

    def planes(self, picture: Tensor) -> Tensor:
        features = self.project_in(picture)
        features, skips = descend(features, self.encoder, self.shrink)
        features = self.bottleneck(features)
        for scale in reversed(range(len(skips))):
            features = self._join(self.enlarge[scale](features), skips.pop())
            features = self.decoder[scale](features)
        return self.project_out(features)

    def _join(self, features: Tensor, skipped: Tensor) -> Tensor:
        if self.skip == "add":
            return features + skipped
        return torch.cat([features, skipped], dim=1)
