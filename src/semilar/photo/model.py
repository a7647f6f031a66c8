"""What a photograph is to the rest of the package: upright encoded pixels, and what came along."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from semilar.errors import PhotoError as PhotoError

Bytes = NDArray[np.uint8]
Pixels = NDArray[Any]
"""Encoded light. White is the largest value of an integer type and 1 for floats; TIFF files may
hold floats beyond 0 and 1. The types are uint8, uint16 and, from TIFF, uint32, int32, float16,
float32 and float64."""


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
    jpeg_progressive: bool = False
    jpeg_comment: bytes | None = None
    png_text: tuple[tuple[bytes, bytes], ...] = ()  # chunks of text: kind and content
    lossless: bool = False  # only asked of formats that can be both, as WebP


@dataclass(frozen=True, kw_only=True, eq=False)
class Photo:
    """One picture. `pixels` are encoded light, upright, (H, W, 3)."""

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
        """Bits per channel."""
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


def white(dtype: DTypeLike) -> float:
    """The value of full light in pixels of this type.

    >>> white(np.uint8), white(np.float32)
    (255.0, 1.0)
    """
    return 1.0 if np.issubdtype(dtype, np.floating) else float(np.iinfo(str(np.dtype(dtype))).max)


@overload
def to_depth(pixels: Pixels, depth: Literal[8]) -> NDArray[np.uint8]: ...
@overload
def to_depth(pixels: Pixels, depth: Literal[16]) -> NDArray[np.uint16]: ...
def to_depth(pixels: Pixels, depth: Literal[8, 16]) -> Pixels:
    """Encoded pixels of any type as unsigned integers of 8 or 16 bits, rounded to the nearest.

    >>> to_depth(np.array([0, 128, 255], np.uint8), 16).tolist()
    [0, 32896, 65535]
    """
    target = np.dtype(np.uint8 if depth == 8 else np.uint16)
    if pixels.dtype == target:
        return pixels
    if pixels.dtype == np.uint8:
        return pixels.astype(np.uint16) * np.uint16(257)
    if pixels.dtype == np.uint16:
        return ((pixels.astype(np.uint32) + 128) // 257).astype(np.uint8)
    scaled = pixels * np.float64(white(target) / white(pixels.dtype))
    return np.rint(np.clip(scaled, 0, white(target), out=scaled), out=scaled).astype(target)
