"""`flare-score`: how many decibels a restoration is probably away from its clean scene.

Fixed measurements (`cues`) describe each cell of 32 x 32 working pixels; small trained networks,
the judges, guess from them the squared error against the scene that nobody has: what residual
flare, haze, holes, dark halos, lost light sources or blur have done to it. Judges differ in what
they learned by chance; their mean is steadier than any one of them. The guesses of all cells are
averaged and turned into decibels exactly as a PSNR is, so a small but badly spoiled place counts as
it does there.
"""

import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from semilar.quality.scorers.cues import CELL, Cues

# Larger pictures are shrunk to this many pixels, aspect kept: flare is large, and the cost of a
# score must not depend on the camera.
WORKING_PIXELS = 320 * 320


class FlareScoreNet(nn.Module):
    """Encoded pictures to log10 of the squared error expected in each cell of 32 x 32 pixels."""

    usual: Tensor
    spread: Tensor

    def __init__(self, *, judges: int = 4, width: int = 96) -> None:
        super().__init__()
        self.cues = Cues()
        self.register_buffer("usual", torch.zeros(Cues.count))
        self.register_buffer("spread", torch.ones(Cues.count))
        self.judges = nn.ModuleList(_judge(width) for _ in range(judges))

    def forward(self, x: Tensor) -> Tensor:
        """(B, 3, H, W) encoded, sides a multiple of 32 -> (B, H/32, W/32) log10 squared error."""
        return self.guess(self.cues(x))

    def guess(self, cues: Tensor) -> Tensor:
        """Cues (B, `Cues.count`, h, w) -> log10 squared error (B, h, w), the mean of all judges."""
        known = self.normalized(cues)
        return torch.stack([judge(known)[:, 0] for judge in self.judges]).mean(dim=0)

    def normalized(self, cues: Tensor) -> Tensor:
        """Cues as judges see them: one far out of the ordinary must not drive a guess anywhere."""
        return ((cues - self.usual[:, None, None]) / self.spread[:, None, None]).clamp(-5, 5)


def _judge(width: int) -> nn.Sequential:
    """Guesses the error of a cell from its own cues and what its neighbours make of theirs."""
    last = nn.Conv2d(width // 2, 1, 1)
    nn.init.constant_(last.bias, -3.0)  # type: ignore[arg-type]
    return nn.Sequential(
        nn.Conv2d(Cues.count, width, 1),
        nn.ReLU(),
        nn.Conv2d(width, width // 2, 3, padding=1, padding_mode="replicate"),
        nn.ReLU(),
        last,
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
    size = [max(1, round(side * scale / CELL)) * CELL for side in (height, width)]
    if size == [height, width]:
        return batch
    return functional.interpolate(batch, size=size, mode="bilinear", antialias=True).clamp(0, 1)


class FlareScore:
    """The bundled network as a scorer: expected decibels, about 10 (spoiled) to 45 (clean)."""

    name = "flare-score"
    scale = (10.0, 45.0)
    delta = 0.1

    def __init__(self, *, weights: Path | None = None) -> None:
        from semilar.weights import bundled

        self._net = FlareScoreNet()
        self._net.load_state_dict(_read(weights or bundled("flare-score")))
        self._net.eval().requires_grad_(False)

    @torch.inference_mode()
    def __call__(self, batch: Tensor) -> Tensor:
        """Score pictures (B, 3, H, W), encoded: expected PSNR in dB, (B,)."""
        self._net.to(batch.device)
        return decibels(self._net(to_working_size(batch.float())))


def _read(path: Path) -> dict[str, Tensor]:
    """Weights as stored (half precision, to keep the package small), in single precision."""
    return {
        name: tensor.float() if tensor.is_floating_point() else tensor
        for name, tensor in load_file(path).items()
    }
