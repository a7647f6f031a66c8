"""`flare-score`: how many decibels a restoration is probably away from its clean scene.

Fixed measurements (`cues`) describe each cell of 8 x 8 working pixels; small trained networks, the
estimators, guess from them the squared error against the scene that nobody has, for each block of
32 x 32: what residual flare, haze, holes, dark halos, lost light sources or blur have done to it.
Estimators differ in what they learned by chance; their mean is steadier than any one of them. The
guesses of all blocks are averaged and turned into decibels exactly as a PSNR is, so a small but
badly spoiled place counts as it does there. A picture without one thin edge, or without anything
dark or anything bright, pays for that: an estimator alone may take it for a smooth, dark or pale
scene. Beside the photo that it was made from, a picture pays for changes that no flare explains
(`changes`): estimators know the damages that they were trained with, and take many others for a
clean scene.
"""

import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from semilar.quality.scorers.changes import added_light, changed_detail
from semilar.quality.scorers.cues import Cues, sharpness, span

# Larger pictures are shrunk to this many pixels, aspect kept: flare is large, and the cost of a
# score must not depend on the camera.
WORKING_PIXELS = 320 * 320
BLOCK = 32  # pixels of the side of what an estimator guesses one error for
# Decibels for every e-fold that a picture's edges are wider than those of any photograph (0.67 and
# more), and that its range of light is less than all there is.
SHARP_ENOUGH, BLUR_COST = 0.6, 16.0
SPAN_COST = 8.0
# Above this an estimator's guess counts by its logarithm only: nobody can tell.
BELIEVED = 45.0
# Beside its photo: how many times as much as a guessed error light counts that the photo has not
# (it is certain), and the decibels for every tenfold of changed detail, from a tenth on.
ADDED_WEIGHT = 50.0
CHANGE_COST, LITTLE_CHANGE = 5.0, 0.1


class FlareScoreNet(nn.Module):
    """Encoded pictures to the decibels that they are probably away from their scenes."""

    def __init__(self, *, estimators: int = 4) -> None:
        super().__init__()
        self.cues = Cues()
        self.estimators = nn.ModuleList(ErrorEstimator() for _ in range(estimators))

    def forward(self, x: Tensor) -> Tensor:
        """Score pictures (B, 3, H, W), encoded, sides a multiple of 32: (B,)."""
        cues = self.cues(x)
        guessed = torch.stack([estimator(cues) for estimator in self.estimators]).mean(dim=0)
        return believable(score(guessed, cues))


class ErrorEstimator(nn.Module):
    """Cues (B, `Cues.count`, h, w) to log10 squared errors (B, h/4, w/4).

    A flare reaches across the picture: what the whole looks like joins in twice.
    """

    usual: Tensor
    spread: Tensor

    def __init__(self, *, width: int = 48) -> None:
        super().__init__()
        self.register_buffer("usual", torch.zeros(Cues.count))
        self.register_buffer("spread", torch.ones(Cues.count))
        self.mix = nn.Conv2d(Cues.count, width, 1)
        self.mix_whole = nn.Linear(3 * Cues.count, width)
        self.mix_norm = _norm(width)
        self.shrink = _near(width, width, stride=2)
        self.look = _near(width, width)
        self.shrink_again = _near(width, 2 * width, stride=2)
        self.weigh = nn.Conv2d(2 * width, 2 * width, 3, padding=1, padding_mode="replicate")
        self.weigh_whole = nn.Linear(6 * width, 2 * width)
        self.weigh_norm = _norm(2 * width)
        self.guess = nn.Conv2d(2 * width, 1, 1)
        nn.init.constant_(self.guess.bias, -3.0)  # type: ignore[arg-type]

    def forward(self, cues: Tensor) -> Tensor:
        # A cue far out of the ordinary must not drive a guess anywhere.
        x = ((cues - self.usual[:, None, None]) / self.spread[:, None, None]).clamp(-5, 5)
        x = self.mix_norm(self.mix(x) + _everywhere(self.mix_whole(_whole(x)))).relu()
        x = self.shrink(x)
        x = self.shrink_again(x + self.look(x))
        seen = self.weigh(x) + _everywhere(self.weigh_whole(_whole(x)))
        return self.guess(x + self.weigh_norm(seen).relu())[:, 0]


def _near(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    near = nn.Conv2d(inputs, outputs, 3, stride, padding=1, padding_mode="replicate")
    return nn.Sequential(near, _norm(outputs), nn.ReLU())


def _norm(channels: int) -> nn.BatchNorm2d:
    # A batch is a few scenes, many times each: its statistics are remembered slowly.
    return nn.BatchNorm2d(channels, momentum=0.01)


def _whole(x: Tensor) -> Tensor:
    """Mean, highest and spread of every channel, (B, 3 C)."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3)), x.std((2, 3), correction=0)], 1)


def _everywhere(x: Tensor) -> Tensor:
    return x[:, :, None, None]


def score(log_errors: Tensor, cues: Tensor) -> Tensor:
    """Guessed log10 squared errors (B, h, w) and the cues they were guessed from -> (B,)."""
    blur = (SHARP_ENOUGH - sharpness(cues)).clamp_min(0)
    flat = -torch.log(span(cues) + 0.02).clamp_max(0)
    return decibels(log_errors) - BLUR_COST * blur - SPAN_COST * flat


def believable(scores: Tensor) -> Tensor:
    """Scores (B,) in the same order, few of them far above `BELIEVED`."""
    above = (scores - BELIEVED).clamp_min(0)
    return scores.clamp_max(BELIEVED) + torch.log1p(above)


def less_changes(scores: Tensor, pictures: Tensor, photos: Tensor) -> Tensor:
    """Scores (B,) of versions, less what they changed in their photos and no flare explains.

    Both (B, 3, H, W), encoded, sides a multiple of 8.
    """
    errors = 10 ** (-scores / 10) + ADDED_WEIGHT * added_light(pictures, photos)
    changed = torch.log10(1 + changed_detail(pictures, photos) / LITTLE_CHANGE)
    return -10 * torch.log10(errors) - CHANGE_COST * changed


def decibels(log_errors: Tensor) -> Tensor:
    """log10 squared errors (B, h, w) -> the PSNR they amount to, (B,)."""
    errors = log_errors.flatten(1)
    mean = torch.logsumexp(errors * math.log(10), dim=1) - math.log(errors.shape[1])
    return -10 / math.log(10) * mean


def to_working_size(batch: Tensor) -> Tensor:
    """Shrink (B, 3, H, W), encoded, to `WORKING_PIXELS` at most, sides a multiple of 32."""
    height, width = batch.shape[-2:]
    scale = min(1.0, math.sqrt(WORKING_PIXELS / (height * width)))
    size = [max(1, round(side * scale / BLOCK)) * BLOCK for side in (height, width)]
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
        return self._net(to_working_size(batch.float()))

    @torch.inference_mode()
    def beside(self, batch: Tensor, photos: Tensor) -> Tensor:
        """Score versions of known photos, both (B, 3, H, W), encoded: expected PSNR in dB, (B,)."""
        pictures, photos = to_working_size(batch.float()), to_working_size(photos.float())
        return less_changes(self(pictures), pictures, photos)


def _read(path: Path) -> dict[str, Tensor]:
    """Weights as stored (half precision, to keep the package small), in single precision.

    The bundled file calls the estimators judges.
    """
    return {
        name.replace("judges.", "estimators."): tensor.float()
        if tensor.is_floating_point()
        else tensor
        for name, tensor in load_file(path).items()
    }
