"""DeflareMamba (Huang et al., "Hierarchical Vision Mamba for Lens Flare Removal", ACM MM 2025).

A U of state space blocks. A block scans the picture in four directions, window by window (local
scan); in the decoder and the bottleneck the last block of a stage also scans every second pixel,
so that far pixels come close (hierarchical scan). Sizes are those of the authors' options file.
Choices taken here: the network draws the change of the scene, where theirs ends in a sigmoid; the
authors' second, strided scan swaps two axes when it puts the result back, ours does not.
"""

from collections.abc import Sequence
from math import ceil, log

import torch
from torch import Tensor, nn
from torch.nn.functional import silu, softplus

from semilar.net.interface import FlareNet, zero_last
from semilar.net.norm import ChannelLayerNorm
from semilar.net.pyramid import ascend, descend, doublings, halvings
from semilar.net.scan import CHUNK, selective_scan

WINDOW = 8


def in_windows(features: Tensor) -> Tensor:
    """(B, C, H, W) -> (B, C, H W), window after window, rows within; sides are multiples of 8."""
    batch, channels, height, width = features.shape
    cells = features.reshape(batch, channels, height // WINDOW, WINDOW, width // WINDOW, WINDOW)
    return cells.transpose(3, 4).reshape(batch, channels, height * width)


def from_windows(sequence: Tensor, height: int, width: int) -> Tensor:
    """Undoes `in_windows`."""
    batch, channels = sequence.shape[:2]
    cells = sequence.reshape(batch, channels, height // WINDOW, width // WINDOW, WINDOW, WINDOW)
    return cells.transpose(3, 4).reshape(batch, channels, height, width)


class FourWayScan(nn.Module):
    """Selective scan over rows and columns of windows, forwards and backwards, summed."""

    def __init__(self, *, channels: int, states: int, chunk: int) -> None:
        super().__init__()
        rank = ceil(channels / 16)
        self.sizes, self.chunk = [rank, states, states], chunk
        self.look = nn.Parameter(torch.empty(4, sum(self.sizes), channels))
        self.step = nn.Parameter(torch.empty(4, channels, rank))
        self.step_bias = nn.Parameter(torch.empty(4, channels))
        start = torch.arange(1, states + 1, dtype=torch.float32).log()
        self.decay_log = nn.Parameter(start.expand(4, channels, states).clone())
        self.passing = nn.Parameter(torch.ones(4, channels))
        self._start(rank)

    def _start(self, rank: int) -> None:
        """Steps between 0.001 and 0.1 at first, spread evenly in their logarithm."""
        nn.init.uniform_(self.look, -(self.look.shape[2] ** -0.5), self.look.shape[2] ** -0.5)
        nn.init.uniform_(self.step, -(rank**-0.5), rank**-0.5)
        with torch.no_grad():
            low, high = log(0.001), log(0.1)
            first = torch.exp(torch.rand_like(self.step_bias) * (high - low) + low)
            self.step_bias.copy_(first + torch.log(-torch.expm1(-first)))

    def forward(self, features: Tensor) -> Tensor:
        height, width = features.shape[-2:]
        ways = [in_windows(features), in_windows(features.transpose(2, 3))]
        x = torch.stack([*ways, *(way.flip(-1) for way in ways)], dim=1)  # (B, 4, C, L)
        step, write, read = (self.look @ x).split(self.sizes, dim=2)
        delta = softplus(self.step @ step + self.step_bias[:, :, None])
        y = selective_scan(
            x, delta, -self.decay_log.exp(), write, read, self.passing, chunk=self.chunk
        )
        rows, columns = (y[:, :2] + y[:, 2:].flip(-1)).unbind(dim=1)
        return from_windows(rows, height, width) + from_windows(columns, width, height).transpose(
            2, 3
        )


class StateSpace(nn.Module):
    """A gated scan; with `strided` the mean of one over all pixels and one over every second."""

    def __init__(
        self, *, channels: int, expansion: float, states: int, strided: bool, chunk: int
    ) -> None:
        super().__init__()
        inner = int(channels * expansion)
        self.enter = nn.Conv2d(channels, 2 * inner, 1, bias=False)
        self.local = nn.Conv2d(inner, inner, 3, padding=1, groups=inner)
        self.scan = FourWayScan(channels=inner, states=states, chunk=chunk)
        self.strided = FourWayScan(channels=inner, states=states, chunk=chunk) if strided else None
        self.norm = ChannelLayerNorm(channels=inner, epsilon=1e-5)
        self.leave = nn.Conv2d(inner, channels, 1, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        features, gate = self.enter(features).chunk(2, dim=1)
        features = silu(self.local(features))
        mixed = self.scan(features)
        if self.strided is not None:
            mixed = (mixed + self._every_second(features)) / 2
        return self.leave(self.norm(mixed) * silu(gate))

    def _every_second(self, features: Tensor) -> Tensor:
        """The four pictures of every second pixel, scanned as a batch."""
        assert self.strided is not None
        batch, channels, height, width = features.shape
        split = features.reshape(batch, channels, height // 2, 2, width // 2, 2)
        split = split.permute(0, 3, 5, 1, 2, 4).reshape(-1, channels, height // 2, width // 2)
        scanned = self.strided(split).reshape(batch, 2, 2, channels, height // 2, width // 2)
        return scanned.permute(0, 3, 4, 1, 5, 2).reshape(features.shape)


class ChannelConv(nn.Module):
    """Two convolutions through a third of the channels, then weights per channel."""

    def __init__(self, *, channels: int) -> None:
        super().__init__()
        narrow, hidden = max(channels // 3, 1), max(channels // 30, 1)
        self.body = nn.Sequential(
            nn.Conv2d(channels, narrow, 3, padding=1),
            nn.GELU(),
            nn.Conv2d(narrow, channels, 3, padding=1),
        )
        self.squeeze = nn.Conv2d(channels, hidden, 1)
        self.excite = nn.Conv2d(hidden, channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        features = self.body(features)
        means = features.mean(dim=(2, 3), keepdim=True)
        return features * self.excite(self.squeeze(means).relu()).sigmoid()


class StateSpaceBlock(nn.Module):
    """State space, then channel convolution, each beside a shortcut with a gain per channel."""

    def __init__(
        self, *, channels: int, expansion: float, states: int, strided: bool, chunk: int
    ) -> None:
        super().__init__()
        self.norm_mix = ChannelLayerNorm(channels=channels, epsilon=1e-5)
        self.mix = StateSpace(
            channels=channels, expansion=expansion, states=states, strided=strided, chunk=chunk
        )
        self.mix_gain = nn.Parameter(torch.ones(channels, 1, 1))
        self.norm_feed = ChannelLayerNorm(channels=channels, epsilon=1e-5)
        self.feed = ChannelConv(channels=channels)
        self.feed_gain = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, features: Tensor) -> Tensor:
        features = features * self.mix_gain + self.mix(self.norm_mix(features))
        return features * self.feed_gain + self.feed(self.norm_feed(features))


class MambaGroup(nn.Module):
    """Blocks between two normalisations, a convolution, and a shortcut around both."""

    def __init__(
        self,
        *,
        channels: int,
        depth: int,
        expansion: float,
        states: int,
        strided: bool,
        chunk: int,
    ) -> None:
        super().__init__()
        self.before = ChannelLayerNorm(channels=channels, epsilon=1e-5)
        self.blocks = nn.Sequential(
            *(
                StateSpaceBlock(
                    channels=channels,
                    expansion=expansion,
                    states=states,
                    strided=strided and block == depth - 1,
                    chunk=chunk,
                )
                for block in range(depth)
            )
        )
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.after = ChannelLayerNorm(channels=channels, epsilon=1e-5)

    def forward(self, features: Tensor) -> Tensor:
        features = self.before(features)
        return self.after(features + self.conv(self.blocks(features)))


class DeflareMamba(FlareNet):
    """`depths` run from the first encoder stage to the last decoder stage; skips are joined."""

    def __init__(
        self,
        *,
        width: int = 40,
        depths: Sequence[int] = (1, 2, 4, 4, 4, 2, 1),
        states: int = 10,
        expansion: float = 1.0,
        chunk: int = CHUNK,
    ) -> None:
        super().__init__()
        scales = len(depths) // 2
        self.multiple = 2 * WINDOW * 2**scales
        widths = [width * 2**scale for scale in range(scales + 1)]

        def group(channels: int, place: int) -> MambaGroup:
            return MambaGroup(
                channels=channels,
                depth=depths[place],
                expansion=expansion,
                states=states,
                strided=place >= scales,
                chunk=chunk,
            )

        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.encoder = nn.ModuleList(group(widths[s], s) for s in range(scales))
        self.down = halvings(widths)
        self.bottleneck = group(widths[scales], scales)
        self.up = doublings(widths)
        self.decoder = nn.ModuleList(group(2 * widths[s], 2 * scales - s) for s in range(scales))
        self.last = nn.Conv2d(2 * width, 6, 3, padding=1)
        zero_last(self.last)

    def planes(self, picture: Tensor) -> Tensor:
        features = self.first(picture - picture.new_tensor([0.4488, 0.4371, 0.4040])[:, None, None])
        features, skips = descend(features, self.encoder, self.down)
        features = ascend(self.bottleneck(features), skips, self.decoder, self.up)
        return self.last(features)
