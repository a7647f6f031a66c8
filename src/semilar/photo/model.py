"""What a photograph is to the rest of the package: upright encoded pixels, and what came along."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from semilar.errors import PhotoError as PhotoError

Pixels = NDArray[np.uint8 | np.uint16]


class UnsupportedPixelsError(ValueError):
    """A sound file whose arrangement of channels is not read; the text says which."""


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """What a file says about its picture, kept as the bytes it came in."""

    icc: bytes | None = None
    exif: bytes | None = None  # a TIFF structure, without the "Exif\0\0" that JPEG puts before it
    xmp: bytes | None = None
    dpi: tuple[float, float] | None = None
    jpeg_tables: tuple[tuple[int, ...], ...] | None = None  # quantisation, natural order
    jpeg_sampling: int = -1  # Pillow's code: 0 is 4:4:4, 1 is 4:2:2, 2 is 4:2:0, -1 unknown
    lossless: bool = False  # only asked of formats that can be both, as WebP


@dataclass(frozen=True, kw_only=True, eq=False)
class Photo:
    """One picture. `pixels` are encoded light, upright, (H, W, 3), uint8 or uint16."""

    pixels: Pixels
    alpha: Pixels | None = None  # (H, W), same type as the pixels
    format: str = "PNG"  # a key of `formats.FORMATS`
    grey: bool = False  # the file held one channel; it is written with one again
    metadata: Metadata = field(default_factory=Metadata)
    name: str = "picture"  # for messages
    notes: tuple[str, ...] = ()  # what the reader should tell the person
    original: bytes | None = None  # the file itself, while the pixels are as it holds them

    @property
    def size(self) -> tuple[int, int]:
        """(height, width)"""
        return self.pixels.shape[0], self.pixels.shape[1]

    @property
    def depth(self) -> int:
        """Bits per channel: 8 or 16."""
        return self.pixels.dtype.itemsize * 8

    def with_pixels(self, pixels: Pixels) -> "Photo":
        """The same photo with other pixels (encoded light, same size); metadata stays."""
        if pixels.shape != self.pixels.shape or pixels.dtype != self.pixels.dtype:
            raise ValueError(
                f"expected {self.pixels.shape} {self.pixels.dtype}, "
                f"got {pixels.shape} {pixels.dtype}"
            )
        same = pixels is self.pixels or np.array_equal(pixels, self.pixels)
        return replace(self, pixels=pixels, original=self.original if same else None)


def to_depth(pixels: Pixels, depth: int) -> Pixels:
    """The same encoded values at 8 or 16 bits, rounded to the nearest.

    >>> to_depth(np.array([0, 128, 255], np.uint8), 16).tolist()
    [0, 32896, 65535]
    """
    if pixels.dtype.itemsize * 8 == depth:
        return pixels
    if depth == 16:
        return pixels.astype(np.uint16) * np.uint16(257)
    return ((pixels.astype(np.uint32) + 128) // 257).astype(np.uint8)
