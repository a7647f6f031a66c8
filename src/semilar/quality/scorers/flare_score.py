"""`flare-score`: how many decibels a restoration is probably away from its clean scene.

A small convolutional network looks at one picture and guesses, for each cell of 8 x 8 working
pixels, the squared error against the scene that nobody has: what residual flare, haze, holes,
dark halos, lost light sources or blur have done to it. The guesses are averaged and turned into
decibels exactly as a PSNR is, so a small but badly spoiled place counts as it does in a PSNR.
"""

import math
from functools import cache
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

# Larger pictures are shrunk to this many pixels, aspect kept: flare is large, and the cost of a
# score must not depend on the camera.
WORKING_PIXELS = 320 * 320
# The network halves its picture five times.
_MULTIPLE = 32


class FlareScoreNet(nn.Module):
    """Encoded pictures to log10 of the squared error expected in each cell of 8 x 8 pixels."""

    def __init__(self, *, widths: tuple[int, int, int, int] = (24, 48, 96, 128)) -> None:
        super().__init__()
        first, second, third, fourth = widths
        self.stem = nn.Sequential(
            nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.ReLU(), _halve(16, first)
        )
        self.quarter = _Block(first)
        self.eighth = nn.Sequential(_halve(first, second), _Block(second), _Block(second))
        self.sixteenth = nn.Sequential(
            _halve(second, third), _Block(third), _Block(third), _Block(third)
        )
        self.lowest = nn.Sequential(_halve(third, fourth), _Block(fourth), _Block(fourth))
        self.whole = nn.Sequential(
            nn.Linear(2 * fourth, fourth), nn.ReLU(), nn.Linear(fourth, fourth)
        )
        self.from_lowest = nn.Conv2d(fourth, second, 1)
        self.from_sixteenth = nn.Conv2d(third, second, 1)
        self.join = nn.Sequential(nn.BatchNorm2d(second), _Block(second), nn.ReLU())
        self.head = nn.Conv2d(second, 1, 1)
        nn.init.constant_(self.head.bias, -3.0)  # type: ignore[arg-type]

    def forward(self, x: Tensor) -> Tensor:
        """(B, 3, H, W) encoded, sides a multiple of 32 -> (B, H/8, W/8) log10 squared error."""
        eighth = self.eighth(self.quarter(self.stem(2 * x - 1)))
        sixteenth = self.sixteenth(eighth)
        lowest = self.lowest(sixteenth)
        # What the whole picture looks like decides what is odd in one place of it.
        overview = torch.cat([lowest.mean((2, 3)), lowest.amax((2, 3))], dim=1)
        lowest = lowest + self.whole(overview)[:, :, None, None]
        joined = eighth
        for coarse in (self.from_sixteenth(sixteenth), self.from_lowest(lowest)):
            joined = joined + functional.interpolate(
                coarse, size=eighth.shape[-2:], mode="bilinear"
            )
        return self.head(self.join(joined))[:, 0]


class _Block(nn.Module):
    """Depth-wise 7 x 7, then a widening and a narrowing of the channels; residual."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.branch = nn.Sequential(
            nn.Conv2d(width, width, 7, padding=3, groups=width, bias=False),
            nn.BatchNorm2d(width),
            nn.Conv2d(width, 2 * width, 1),
            nn.ReLU(),
            nn.Conv2d(2 * width, width, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        return x + self.branch(x)


def _halve(wide_in: int, wide_out: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(wide_in, wide_out, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(wide_out)
    )


def decibels(log_errors: Tensor) -> Tensor:
    """log10 squared errors of cells (B, h, w) -> the PSNR they amount to, (B,)."""
    cells = log_errors.flatten(1)
    mean = torch.logsumexp(cells * math.log(10), dim=1) - math.log(cells.shape[1])
    return -10 / math.log(10) * mean


def to_working_size(batch: Tensor) -> Tensor:
    """Shrink (B, 3, H, W), encoded, to `WORKING_PIXELS` at most, sides a multiple of 32."""
    height, width = batch.shape[-2:]
    scale = min(1.0, math.sqrt(WORKING_PIXELS / (height * width)))
    size = [max(1, round(side * scale / _MULTIPLE)) * _MULTIPLE for side in (height, width)]
    if size == [height, width]:
        return batch
    return functional.interpolate(batch, size=size, mode="bilinear", antialias=True).clamp(0, 1)


class FlareScore:
    """The bundled network as a scorer: expected decibels, about 10 (spoiled) to 45 (clean)."""

    name = "flare-score"
    scale = (10.0, 45.0)
    delta = 0.1

    def __init__(self, *, weights: Path | None = None) -> None:
        self._net = FlareScoreNet()
        self._net.load_state_dict(_read(weights or _bundled()))
        self._net.eval().requires_grad_(False)

    @torch.inference_mode()
    def __call__(self, batch: Tensor) -> Tensor:
        """Score pictures (B, 3, H, W), encoded: expected PSNR in dB, (B,)."""
        self._net.to(batch.device)
        return decibels(self._net(to_working_size(batch.float())))


@cache
def _bundled() -> Path:
    from semilar.weights import bundled

    return bundled("flare-score")


def _read(path: Path) -> dict[str, Tensor]:
    """Weights as stored (half precision, to keep the package small), in single precision."""
    return {
        name: tensor.float() if tensor.is_floating_point() else tensor
        for name, tensor in load_file(path).items()
    }
