"""Weak and strong augmentation of an unlabeled photo (section 3.1).

The *frame* of a photo is the photo upright at working size, aspect kept. Weak
augmentation takes a window of the frame, perhaps mirrored; what a network makes of it is mapped
back to the frame, where pseudo labels live.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from pydantic import Field
from torch import Tensor

from semilar.config import Above0, Part, Share, Weight


@dataclass(frozen=True)
class Window:
    """A window of a frame, mirrored left to right or not."""

    top: int
    left: int
    height: int
    width: int
    flip: bool = False

    def take(self, frame: Tensor) -> Tensor:
        """The part of a frame (..., H, W) inside the window."""
        part = frame[..., self.top : self.top + self.height, self.left : self.left + self.width]
        return part.flip(-1) if self.flip else part

    def put(self, part: Tensor, frame: Tensor) -> Tensor:
        """A copy of `frame` whose window shows `part`; the inverse of `take`."""
        result = frame.clone()
        part = part.flip(-1) if self.flip else part
        result[..., self.top : self.top + self.height, self.left : self.left + self.width] = part
        return result

    @classmethod
    def whole(cls, height: int, width: int, *, flip: bool = False) -> "Window":
        """All of a frame."""
        return cls(0, 0, height, width, flip)

    @classmethod
    def random(
        cls, height: int, width: int, *, crop: int, flip: bool, rng: np.random.Generator
    ) -> "Window":
        """A square window of a frame, mirrored in half of the cases where `flip` allows it."""
        mirrored = bool(rng.random() < 0.5) and flip
        top, left = int(rng.integers(height - crop + 1)), int(rng.integers(width - crop + 1))
        return cls(top, left, crop, crop, mirrored)


class StrongAugmentation(Part):
    """What the student's input goes through; every step can be switched off for the paper's table.

    `brightness`, `contrast`, `saturation` and `hue` are the largest relative changes.
    """

    jitter: Share = 0.8
    """Probability of a change of brightness, contrast, saturation and hue."""
    brightness: Share = 0.5
    contrast: Share = 0.5
    saturation: Share = 0.5
    hue: Annotated[float, Field(ge=0, le=0.5)] = 0.02
    grey: Share = 0.2
    """Probability of losing all colour."""
    blur: Share = 0.5
    """Probability of a Gaussian blur, kernel 3 or 5."""
    sigma: tuple[Above0, Above0] = (0.1, 2.0)
    """Range of the blur's deviation in pixels."""
    noise: Weight = 0.01
    """Deviation of the added noise."""

    def __call__(self, picture: Tensor, rng: np.random.Generator) -> tuple[Tensor, "ColourChange"]:
        """An encoded picture (3, H, W), strongly augmented, and the colour change that is in it.

        All draws are made whether a part is on or not, so that switching one part off leaves the
        others as they were.
        """
        draws = rng.random(9)
        noise_seed = int(rng.integers(2**31))
        colour = self._colour(draws, picture)
        picture = colour(picture)
        if draws[6] < self.blur:
            sigma = self.sigma[0] + draws[7] * (self.sigma[1] - self.sigma[0])
            picture = gaussian_blur(picture, sigma, radius=1 if draws[8] < 0.5 else 2)
        if self.noise:
            generator = torch.Generator().manual_seed(noise_seed)
            picture = picture + self.noise * torch.randn(picture.shape, generator=generator)
        return picture.clamp(0, 1), colour

    def _colour(self, draws: np.ndarray, picture: Tensor) -> "ColourChange":
        on = draws[0] < self.jitter
        spread = (self.brightness, self.contrast, self.saturation, self.hue)
        change = [float(on * s * (2 * d - 1)) for s, d in zip(spread, draws[1:5], strict=True)]
        middle = float(luma((picture * (1 + change[0])).clamp(0, 1)).mean())
        return ColourChange(*change, middle=middle, grey=bool(draws[5] < self.grey))


@dataclass(frozen=True)
class ColourChange:
    """One drawn change of colours; zero everywhere leaves a picture as it is."""

    brightness: float
    contrast: float
    saturation: float
    hue: float
    middle: float
    """The luma that the change of contrast leaves alone: the mean of the picture drawn for."""
    grey: bool

    def __call__(self, picture: Tensor) -> Tensor:
        """Apply the change to an encoded picture (3, H, W)."""
        x = (picture * (1 + self.brightness)).clamp(0, 1)
        x = (self.middle + (x - self.middle) * (1 + self.contrast)).clamp(0, 1)
        x = luma(x) + (x - luma(x)) * (1 + self.saturation)
        if self.hue:
            x = torch.einsum("ij,jhw->ihw", hue_rotation(self.hue).to(x), x)
        x = x.clamp(0, 1)
        return luma(x).expand_as(x).clone() if self.grey else x


def luma(picture: Tensor) -> Tensor:
    """BT.601 luma of an encoded picture (3, H, W) -> (1, H, W)."""
    weights = picture.new_tensor([0.299, 0.587, 0.114])
    return torch.einsum("c,chw->hw", weights, picture).unsqueeze(0)


def hue_rotation(turns: float) -> Tensor:
    """The 3 x 3 matrix that turns colours around the grey axis by a share of a full turn."""
    angle = 2 * np.pi * turns
    cos, sin = np.cos(angle), np.sin(angle)
    axis = np.full(3, 1 / np.sqrt(3))
    cross = np.cross(np.eye(3), axis)
    matrix = cos * np.eye(3) + sin * cross + (1 - cos) * np.outer(axis, axis)
    return torch.from_numpy(matrix.astype(np.float32))


def gaussian_blur(picture: Tensor, sigma: float, *, radius: int) -> Tensor:
    """Separable Gaussian blur of (3, H, W) with a kernel of 2 · radius + 1, edges reflected."""
    offsets = torch.arange(-radius, radius + 1, dtype=picture.dtype)
    kernel = torch.exp(-0.5 * (offsets / sigma) ** 2)
    kernel = kernel / kernel.sum()
    x = F.pad(picture.unsqueeze(0), (radius,) * 4, mode="reflect")
    channels = x.shape[1]
    x = F.conv2d(x, kernel.view(1, 1, -1, 1).expand(channels, 1, -1, 1), groups=channels)
    x = F.conv2d(x, kernel.view(1, 1, 1, -1).expand(channels, 1, 1, -1), groups=channels)
    return x.squeeze(0)
