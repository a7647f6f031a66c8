"""The multi-scale input of MUSIQ (Ke et al., ICCV 2021, sections 3.2 to 3.4).

A picture enters at its own size and shrunk to a longer side of 224 and 384 pixels, its aspect
ratio kept. Each version is cut into patches of 32 x 32. A patch carries the number of its scale
and the cell of a 10 x 10 grid its place is hashed to, so that places agree between scales.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

PATCH = 32
GRID = 10
LONGER_SIDES = (224, 384)


class Patches(NamedTuple):
    """All patches of a batch of equally sized pictures; N patches per picture."""

    pixels: Tensor  # (B, N, 3, 32, 32), encoded, in [-1, 1]
    place: Tensor  # (N,) cell of the grid, row by row
    scale: Tensor  # (N,) 0 and 1: shrunk, 2: the picture itself


def cut_patches(batch: Tensor) -> Patches:
    """Cut pictures (B, 3, H, W), encoded in [0, 1], into the patches MUSIQ reads."""
    picture = 2 * batch - 1
    versions = [*(_shrink(picture, side) for side in LONGER_SIDES), picture]
    pixels, places, scales = [], [], []
    for scale, version in enumerate(versions):
        cut, rows, columns = _cut(version)
        pixels.append(cut)
        places.append(_hash(rows)[:, None] * GRID + _hash(columns)[None, :])
        scales.append(torch.full((rows * columns,), scale))
    place = torch.cat([grid.flatten() for grid in places])
    return Patches(torch.cat(pixels, 1), place.to(batch.device), torch.cat(scales).to(batch.device))


def _shrink(picture: Tensor, longer_side: int) -> Tensor:
    """Bring the longer side to `longer_side`; plain bicubic, as the checkpoints expect."""
    height, width = picture.shape[-2:]
    ratio = longer_side / max(height, width)
    size = [max(1, round(side * ratio)) for side in (height, width)]
    return functional.interpolate(picture, size=size, mode="bicubic", align_corners=False)


def _cut(picture: Tensor) -> tuple[Tensor, int, int]:
    """Patches (B, rows * columns, 3, 32, 32); the rim is padded with grey, evenly on both sides."""
    batch, channels, height, width = picture.shape
    rows, columns = -(-height // PATCH), -(-width // PATCH)
    below, right = rows * PATCH - height, columns * PATCH - width
    padded = functional.pad(
        picture, (right // 2, right - right // 2, below // 2, below - below // 2)
    )
    grid = padded.view(batch, channels, rows, PATCH, columns, PATCH)
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(1, 2), rows, columns


def _hash(count: int) -> Tensor:
    """The line of the grid that each of `count` patches in a line falls on, (count,) integers."""
    # Not `i * GRID // count`: where the division is exact, the published resizing of an index
    # line in single precision may round down, and the checkpoints were made with that.
    lines = torch.arange(GRID, dtype=torch.float32).view(1, 1, GRID)
    return functional.interpolate(lines, size=count, mode="nearest").view(count).long()
