"""What betrays residual flare and damage: fixed measurements on the cells of one picture.

Flare is bright lines, glow and lifted blacks; over-removal is dark lines and holes; haze and blur
take contrast away, scale by scale. Measured on cells of 8 x 8 pixels: brightness, darkest and
brightest point, colour, clipping; contrast at four scales, above and below the local mean; and the
response to long bright and dark lines in eight directions. A cell of 32 x 32 pixels then knows the
mean and extremes of its own 16 small cells, its neighbourhood, and the picture as a whole.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

SMALL, CELL = 8, 32
_TINY = 1e-3  # a contrast that 8 bits cannot show
_LINE = 11  # pixels of a line detector, at the second and third scale


class Cues(nn.Module):
    """Encoded pictures (B, 3, H, W), sides a multiple of 32 -> (B, `count`, H/32, W/32)."""

    count = 273
    lines: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("lines", line_detectors(), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        small = torch.cat([_light(x), self._structure(x.mean(1, keepdim=True))], 1)
        own = functional.avg_pool2d(small, CELL // SMALL)
        highest = functional.max_pool2d(small, CELL // SMALL)
        lowest = -functional.max_pool2d(-small, CELL // SMALL)
        around = _local_mean(own)
        whole = [small.mean((2, 3)), small.amax((2, 3)), small.std((2, 3))]
        picture = torch.cat(whole, 1)[:, :, None, None].expand(-1, -1, *own.shape[-2:])
        return torch.cat([own, highest, lowest, around, picture], 1)

    def _structure(self, grey: Tensor) -> Tensor:
        """Contrast at four scales and lines at two of them, (B, 28, H/8, W/8), logarithmic."""
        found = []
        for halvings in range(4):
            side = SMALL >> halvings
            mean = _local_mean(grey)
            detail = grey - mean
            above, below = _log_mean(detail.relu(), side), _log_mean((-detail).relu(), side)
            power = functional.avg_pool2d(detail.square(), side)
            contrast = 0.5 * torch.log(power + _TINY**2)
            brightness = functional.avg_pool2d(mean, side)
            found += [above, below, contrast, contrast - torch.log(brightness + 0.02)]
            if halvings in (1, 2):
                found.append(self._long_lines(grey, side))
            grey = functional.avg_pool2d(grey, 2)
        return torch.cat(found, 1)

    def _long_lines(self, grey: Tensor, side: int) -> Tensor:
        """Bright lines, dark lines, texture, and what of the bright ones is no texture; maxima."""
        margin = [_LINE // 2] * 4
        answers = functional.conv2d(functional.pad(grey, margin, mode="replicate"), self.lines)
        bright = answers.amax(1, keepdim=True).relu()
        dark = (-answers.amin(1, keepdim=True)).relu()
        texture = answers.abs().mean(1, keepdim=True)
        alone = (bright - 2 * texture).relu()
        means = _log_mean(torch.cat([bright, dark, texture, alone], 1), side)
        highest = functional.max_pool2d(torch.cat([bright, alone], 1), side)
        return torch.cat([means, torch.log(highest + _TINY)], 1)


def _light(x: Tensor) -> Tensor:
    """Brightness, colour and clipping of small cells, (B, 11, H/8, W/8)."""
    grey = x.mean(1, keepdim=True)
    top, low = x.amax(1, keepdim=True), x.amin(1, keepdim=True)
    red, green, blue = x.split(1, 1)
    clipped, black = torch.sigmoid(40 * (top - 0.95)), torch.sigmoid(40 * (0.04 - top))
    colour = [top - low, red - green, blue - (red + green) / 2]
    means = functional.avg_pool2d(torch.cat([grey, top, low, *colour, clipped, black], 1), SMALL)
    darkest = -functional.max_pool2d(-torch.cat([low, grey], 1), SMALL)
    return torch.cat([means, darkest, functional.max_pool2d(grey, SMALL)], 1)


def line_detectors(directions: int = 8, across: float = 1.2, along: float = 3.5) -> Tensor:
    """Kernels (directions, 1, 11, 11) that answer a bright line and ignore flat areas."""
    steps = torch.arange(_LINE, dtype=torch.float32) - _LINE // 2
    y, x = torch.meshgrid(steps, steps, indexing="ij")
    kernels = []
    for i in range(directions):
        angle = math.pi * i / directions
        u = x * math.cos(angle) + y * math.sin(angle)
        v = y * math.cos(angle) - x * math.sin(angle)
        ridge = (1 - (v / across) ** 2) * torch.exp(-((v / across) ** 2 + (u / along) ** 2) / 2)
        ridge = ridge - ridge.mean()
        kernels.append(ridge / ridge.abs().sum())
    return torch.stack(kernels)[:, None]


def _local_mean(x: Tensor) -> Tensor:
    return functional.avg_pool2d(functional.pad(x, [1] * 4, mode="replicate"), 3, stride=1)


def _log_mean(x: Tensor, side: int) -> Tensor:
    return torch.log(functional.avg_pool2d(x, side) + _TINY)
