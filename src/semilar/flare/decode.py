"""Patterns from their files: flare, black level and light source."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from semilar.errors import SemilarError
from semilar.flare.sample import Bytes

BLACK = 64
"""Encoded level that the darkest tenth of a pattern must not exceed."""
LIT = 2
"""Encoded level from which a pixel of a light-source file counts."""


@dataclass(frozen=True)
class Decoded:
    """One pattern, *encoded* uint8."""

    flare: Bytes
    """(3, H, W)."""
    low: Bytes
    """Darkest value of each channel, (3,): the black level to take away."""
    high: Bytes
    """Brightest value of each channel, (3,)."""
    light: Bytes | None
    """The part of the light-source picture that is not black, (3, h, w)."""
    corner: tuple[int, int]
    """Row and column of that part."""

    @property
    def nbytes(self) -> int:
        """Memory that the pixels take."""
        return self.flare.nbytes + (self.light.nbytes if self.light is not None else 0)


def decode(flare: Path, light: Path | None) -> Decoded:
    """Read a pattern and its light source; refuse what is not a flare on black."""
    pixels = _read(flare)
    brightest = pixels[:, ::8, ::8].max(axis=0)
    if np.quantile(brightest, 0.1) > BLACK:
        raise SemilarError(
            f"{flare}: not a flare on black; its darkest tenth is brighter than 25 %."
        )
    low, high = pixels.min(axis=(1, 2)), pixels.max(axis=(1, 2))
    if light is None:
        return Decoded(pixels, low, high, None, (0, 0))
    source = _read(light)
    if source.shape != pixels.shape:
        raise SemilarError(
            f"{light}: {source.shape[2]} x {source.shape[1]} pixels, but its flare "
            f"{flare.name} has {pixels.shape[2]} x {pixels.shape[1]}."
        )
    lit = source.max(axis=0) >= LIT
    rows, columns = np.flatnonzero(lit.any(axis=1)), np.flatnonzero(lit.any(axis=0))
    if not rows.size:
        return Decoded(pixels, low, high, np.zeros((3, 1, 1), np.uint8), (0, 0))
    top, left = int(rows[0]), int(columns[0])
    part = source[:, top : int(rows[-1]) + 1, left : int(columns[-1]) + 1].copy()
    return Decoded(pixels, low, high, part, (top, left))


def _read(path: Path) -> Bytes:
    try:
        with Image.open(path) as picture:
            pixels = np.asarray(picture.convert("RGB"))
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise SemilarError(f"{path}: cannot be read as a picture ({error}).") from None
    return np.ascontiguousarray(pixels.transpose(2, 0, 1))
