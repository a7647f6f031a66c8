"""Directionally-enhanced spatial module, DESM (paper, appendix "Directionally-Enhanced
Feed-Forward Network").

    [X₁, X₂] = Split(E(X)),   F(X) = P(D(X₁) ⊙ X₂)

D is a depth-wise convolution along a line. A quarter of the hidden channels looks along each of
the four directions. The product acts channel by channel and P is linear, so the quarters are
computed one after the other and summed: the wide hidden layer never exists as a whole, which on a
CPU saves more time than anything else in the block.
"""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import conv2d

Direction = Literal["horizontal", "vertical", "falling", "rising"]
DIRECTIONS: tuple[Direction, ...] = ("horizontal", "vertical", "falling", "rising")


def line_kernel(taps: Tensor, direction: Direction) -> Tensor:
    """Depth-wise kernels (C, 1, h, w) whose non-zero entries are `taps` (C, k) along a line.

    "falling" runs from the upper left to the lower right, "rising" from lower left to upper right.
    """
    if direction == "horizontal":
        return taps[:, None, None, :]
    if direction == "vertical":
        return taps[:, None, :, None]
    square = torch.diag_embed(taps)[:, None]
    return square if direction == "falling" else square.flip(-1)


class LineConv(nn.Module):
    """Depth-wise convolution along one direction."""

    def __init__(self, *, channels: int, length: int, direction: Direction) -> None:
        super().__init__()
        self.direction: Direction = direction
        self.taps = nn.Parameter(torch.empty(channels, length).uniform_(-1, 1) * length**-0.5)
        self.bias = nn.Parameter(torch.zeros(channels))

    def forward(self, features: Tensor) -> Tensor:
        kernel = line_kernel(self.taps, self.direction)
        padding = (kernel.shape[-2] // 2, kernel.shape[-1] // 2)
        return conv2d(features, kernel, self.bias, padding=padding, groups=self.taps.shape[0])


class DirectionalGate(nn.Module):
    """One direction's share of DESM: expand, convolve along the line, gate, project."""

    def __init__(self, *, channels: int, hidden: int, length: int, direction: Direction) -> None:
        super().__init__()
        self.expand = nn.Conv2d(channels, 2 * hidden, 1)
        self.line = LineConv(channels=hidden, length=length, direction=direction)
        self.project = nn.Conv2d(hidden, channels, 1, bias=False)

    def forward(self, features: Tensor) -> Tensor:
        spatial, gate = self.expand(features).chunk(2, dim=1)
        return self.project(self.line(spatial).mul_(gate))


class DESM(nn.Module):
    """Feed-forward of a PSCBlock; `expansion` times C channels are split into X₁ and X₂."""

    def __init__(self, *, channels: int, expansion: float = 4, length: int = 5) -> None:
        super().__init__()
        hidden = round(channels * expansion / 2 / len(DIRECTIONS))
        self.directions = nn.ModuleList(
            DirectionalGate(channels=channels, hidden=hidden, length=length, direction=direction)
            for direction in DIRECTIONS
        )
        self.bias = nn.Parameter(torch.zeros(channels, 1, 1))

    def forward(self, features: Tensor) -> Tensor:
        first, *others = self.directions
        total = first(features)
        for direction in others:
            total += direction(features)
        return total.add_(self.bias)

    def silence(self) -> None:
        """Make the module give zero until it has learned something."""
        nn.init.zeros_(self.bias)
        for direction in self.directions:
            assert isinstance(direction, DirectionalGate)
            nn.init.zeros_(direction.project.weight)
