"""What betrays residual flare and damage: fixed measurements on the cells of one picture.

Flare is bright lines, glow and lifted blacks; over-removal is dark lines, holes and colours that
ran out; haze and blur take contrast away, scale by scale. Measured on cells of 8 x 8 pixels:
brightness, darkest and brightest point, colour, clipping; contrast at four scales, above and below
the local mean; the response to long bright and dark lines in eight directions; and what detail is
left that only a sharp picture has.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

CELL = 8
_TINY = 1e-3  # a contrast that 8 bits cannot show
_LINE = 11  # pixels of a line detector, at the second and third scale
# Where these stand among the cues.
_DARKEST, _BRIGHTEST, _SECOND_CONTRAST, _FINEST_PEAK = 11, 12, 19, 42


class Cues(nn.Module):
    """Encoded pictures (B, 3, H, W), sides a multiple of 8 -> (B, `count`, H/8, W/8)."""

    count = 43
    lines: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("lines", line_detectors(), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        grey = x.mean(1, keepdim=True)
        return torch.cat([_light(x), self._structure(grey), _finest(grey)], 1)

    def _structure(self, grey: Tensor) -> Tensor:
        """Contrast at four scales and lines at two of them, (B, 28, H/8, W/8), logarithmic."""
        found = []
        for halvings in range(4):
            side = CELL >> halvings
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


def sharpness(cues: Tensor) -> Tensor:
    """How thin the sharpest edges of a picture are, (B, `Cues.count`, h, w) -> (B,), logarithmic.

    The peak of the finest detail over the contrast around it, in the sharpest cells. Blur widens
    edges everywhere; flare, fog and darkening leave some as thin as they were.
    """
    thin = (cues[:, _FINEST_PEAK] - cues[:, _SECOND_CONTRAST]).flatten(1)
    return thin.quantile(0.95, dim=1)


def span(cues: Tensor) -> Tensor:
    """From a picture's darkest to its brightest point, (B, `Cues.count`, h, w) -> (B,), encoded."""
    return cues[:, _BRIGHTEST].amax((1, 2)) - cues[:, _DARKEST].amin((1, 2))


def _light(x: Tensor) -> Tensor:
    """Brightness, colour and clipping, (B, 13, H/8, W/8)."""
    grey = x.mean(1, keepdim=True)
    top, low = x.amax(1, keepdim=True), x.amin(1, keepdim=True)
    red, green, blue = x.split(1, 1)
    clipped, black = torch.sigmoid(40 * (top - 0.95)), torch.sigmoid(40 * (0.04 - top))
    # Subtract too much, and the weakest channel is empty before the others are.
    empty = torch.sigmoid(400 * (0.006 - low))
    colour = [top - low, red - green, blue - (red + green) / 2, (top - low) / (top + 0.05)]
    channels = torch.cat([grey, top, low, *colour, clipped, black, empty], 1)
    means = functional.avg_pool2d(channels, CELL)
    darkest = -functional.max_pool2d(-torch.cat([low, grey], 1), CELL)
    return torch.cat([means, darkest, functional.max_pool2d(grey, CELL)], 1)


def _finest(grey: Tensor) -> Tensor:
    """Mean and peak of the detail that the slightest blur takes, (B, 2, H/8, W/8), logarithmic."""
    detail = grey - _local_mean(grey)
    finest = (detail - _local_mean(detail)).abs()
    peak = functional.max_pool2d(finest, CELL)
    return torch.cat([_log_mean(finest, CELL), torch.log(peak + _TINY)], 1)


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
