"""PSNR inside the parts of a picture that flare covers: G-PSNR, S-PSNR and global PSNR.

The masks are in the published colour code of Flare7K++: glare 255,255,0; streak 255,0,0; light
source 0,0,255; everything else black. The paper reports G-PSNR and S-PSNR (section "Experiments");
the night-flare challenge ranks by the mean of the three.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semilar.errors import SemilarError
from semilar.quality.picture_pair import Picture, as_levels
from semilar.quality.psnr import from_mse


@dataclass(frozen=True)
class Regions:
    """PSNR in dB per region; None where the picture has no such region."""

    glare: float | None
    streak: float | None
    outside: float | None  # "global": everything but the light sources


def region_psnr(picture: Picture, truth: Picture, mask: NDArray[np.uint8]) -> Regions:
    """PSNR of an encoded picture within each region of `mask` (H, W, 3).

    With the weight m of a pixel in [0, 1] (soft mask edges count in part), as published:
    MSE = sum((m d)²) / (3 sum(m)), where d is the difference on the 0 to 255 scale.
    """
    a, b = as_levels(picture, truth)
    if mask.shape != a.shape or mask.ndim != 3:
        raise SemilarError(
            f"The mask has {mask.shape[1]} x {mask.shape[0]} pixels, "
            f"the picture {a.shape[1]} x {a.shape[0]}."
        )
    squares = np.sum((a - b) ** 2, axis=2)  # (H, W), all three channels
    red, green, blue = (mask[..., c].astype(np.float64) / 255 for c in range(3))
    return Regions(
        glare=_weighted_psnr(squares, green),
        streak=_weighted_psnr(squares, np.clip(red - green, 0, None)),
        outside=_weighted_psnr(squares, 1 - blue),
    )


def psnr_outside(picture: Picture, truth: Picture, mask: NDArray[np.uint8]) -> float | None:
    """PSNR in dB where `mask` (H, W, 3) is black: FlareX hides the lamp of its clean shots and
    marks the hiding thing in white. None where nothing is left."""
    a, b = as_levels(picture, truth)
    kept = 1 - mask.max(axis=2).astype(np.float64) / 255
    return _weighted_psnr(np.sum((a - b) ** 2, axis=2), kept)


def uses_colour_code(mask: NDArray[np.uint8]) -> bool:
    """Whether a mask keeps to the colour code: no pixel is both flare and light source (white)."""
    return bool(np.min(mask, axis=2).max(initial=0) <= 127)


def challenge_score(pictures: Iterable[Regions]) -> float | None:
    """The mean of the three mean PSNRs over pictures; None if a region occurs in no picture."""
    rows = list(pictures)
    means = [_mean([getattr(row, name) for row in rows]) for name in ("glare", "streak", "outside")]
    known = [mean for mean in means if mean is not None]
    return sum(known) / 3 if len(known) == 3 else None


def _weighted_psnr(squares: NDArray[np.float64], weight: NDArray[np.float64]) -> float | None:
    area = float(weight.sum())
    return from_mse(float(np.sum(weight**2 * squares)) / (3 * area)) if area > 0 else None


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
