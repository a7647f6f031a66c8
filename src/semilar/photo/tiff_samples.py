"""TIFF files of 16 bits per sample and more, integers and floats, most of which Pillow can't read.

Pillow's libtiff undoes every common compression, if it takes the rows for bytes. So a directory is
put behind the file that calls the same strips or tiles an 8-bit grey picture, as wide as a row has
bytes; what the predictor did is undone here, and the bytes are taken for what they are.
"""

from dataclasses import dataclass
from functools import cached_property
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import TiffImagePlugin

from semilar.photo.model import Pixels, UnsupportedPixelsError
from semilar.photo.tiff_layout import Directory, TiffEntry, first_directory, with_directory

_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC, _FILL_ORDER = 256, 257, 258, 259, 262, 266
_STRIP_OFFSETS, _ORIENTATION, _SAMPLES, _STRIP_BYTES, _PLANES = 273, 274, 277, 279, 284
_PREDICTOR, _TILE_WIDTH, _TILE_OFFSETS, _TILE_BYTES = 317, 322, 324, 325
_EXTRA_SAMPLES, _SAMPLE_FORMAT = 338, 339
_NO_PREDICTOR, _DIFFERENCES, _FLOAT_DIFFERENCES = 1, 2, 3
_WHITE_IS_ZERO, _BLACK_IS_ZERO, _RGB = 0, 1, 2
_ASSOCIATED_ALPHA = 1
_NOT_SAID = 4  # as sample format: taken for unsigned integers
# Of those that Pillow undoes, the ones that know nothing of pixels.
_BYTE_COMPRESSIONS = {1: "none", 5: "LZW", 8: "deflate", 32946: "deflate", 32773: "PackBits"}
_BYTE_COMPRESSIONS |= {34925: "LZMA", 50000: "Zstandard"}
_TYPES = {(1, 16): "u2", (1, 32): "u4", (2, 32): "i4", (3, 16): "f2", (3, 32): "f4", (3, 64): "f8"}
_FORMATS = {1: "unsigned integers", 2: "signed integers", 3: "floats"}


@dataclass(frozen=True)
class TiffSamples:
    """The first page of a TIFF file whose samples have a type that is read here."""

    content: bytes
    page: Directory
    type: str  # NumPy's name of it, without the order of bytes

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) as stored."""
        return self.page.number(_WIDTH), self.page.number(_HEIGHT)

    @property
    def orientation(self) -> int:
        """As EXIF counts, 1 to 8."""
        value = self.page.number(_ORIENTATION, 1)
        return value if 1 <= value <= 8 else 1

    @cached_property
    def image(self) -> TiffImagePlugin.TiffImageFile:
        """The file as Pillow takes it, for its metadata; its pixels mean nothing."""
        return self._as_bytes(0)

    def pixels(self) -> tuple[Pixels, Pixels | None]:
        """Colour (H, W, 1 or 3) and alpha (H, W) or None, encoded light, as stored."""
        photometric, base = self._colours()
        planes = self._planes
        if planes == 1:
            values = self._samples(0)
        else:
            values = np.concatenate([self._samples(plane) for plane in range(planes)], axis=2)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise UnsupportedPixelsError("it holds values that are not finite")
        colour = np.ascontiguousarray(values[:, :, :base])
        if photometric == _WHITE_IS_ZERO:
            colour = np.iinfo(colour.dtype).max - colour
        return colour, values[:, :, base].copy() if values.shape[2] > base else None

    def _colours(self) -> tuple[int, int]:
        """The photometric interpretation and how many samples of a pixel are colour."""
        page = self.page
        photometric = page.number(_PHOTOMETRIC, _BLACK_IS_ZERO)
        base = 3 if photometric == _RGB else 1
        extra = page.number(_SAMPLES, 1) - base
        known = (_BLACK_IS_ZERO, _RGB) + ((_WHITE_IS_ZERO,) if self.type[0] == "u" else ())
        if photometric not in known or extra not in (0, 1):
            raise UnsupportedPixelsError(
                f"{page.number(_SAMPLES, 1)} channels of {self.type[1:]} bytes with photometric "
                f"interpretation {photometric} are not supported"
            )
        if extra and page.number(_EXTRA_SAMPLES) == _ASSOCIATED_ALPHA:
            raise UnsupportedPixelsError(
                "transparency that is multiplied into the colours is not supported at this depth"
            )
        if page.number(_COMPRESSION, 1) not in _BYTE_COMPRESSIONS or (
            page.number(_FILL_ORDER, 1) != 1
        ):
            raise UnsupportedPixelsError(
                f"compression {page.number(_COMPRESSION, 1)} is not supported at this depth"
            )
        return photometric, base

    @property
    def _planes(self) -> int:
        """How many planes the samples of a pixel are spread over."""
        return self.page.number(_SAMPLES, 1) if self.page.number(_PLANES, 1) == 2 else 1

    @property
    def _step(self) -> int:
        """Samples of a pixel that lie side by side."""
        return self.page.number(_SAMPLES, 1) // self._planes

    def _as_bytes(self, plane: int) -> TiffImagePlugin.TiffImageFile:
        """One plane as an 8-bit grey picture of the bytes of its rows."""
        page = self.page
        pixel = self._step * int(self.type[1:])
        width = page.number(_WIDTH)
        tile = page.number(_TILE_WIDTH)
        changed: dict[int, int | TiffEntry | None] = {
            _WIDTH: -(-width // tile) * tile * pixel if tile else width * pixel,
            _BITS: 8,
            _PHOTOMETRIC: _BLACK_IS_ZERO,
            _SAMPLES: 1,
            _PLANES: 1,
            _PREDICTOR: _NO_PREDICTOR,
            _SAMPLE_FORMAT: 1,
            _ORIENTATION: None,
            _EXTRA_SAMPLES: None,
        }
        if tile:
            changed[_TILE_WIDTH] = tile * pixel
        for tag in (_STRIP_OFFSETS, _STRIP_BYTES, _TILE_OFFSETS, _TILE_BYTES):
            if tag in page.entries:
                changed[tag] = page.part(tag, plane, self._planes)
        stream = BytesIO(with_directory(self.content, page, changed))
        return TiffImagePlugin.TiffImageFile(stream, "")

    def _samples(self, plane: int) -> NDArray:
        """(H, W, samples) of one plane."""
        width, height = self.size
        self._check_whole()
        stored = np.asarray(self.image if plane == 0 else self._as_bytes(plane))
        tile = self.page.number(_TILE_WIDTH) or width
        rows = stored.reshape(height, -1, tile, self._step * int(self.type[1:]))
        values = self._without_predictor(rows)
        return values.reshape(height, -1, self._step)[:, :width]

    def _check_whole(self) -> None:
        """A cut file must not go on into the directory that is put behind it."""
        page, (width, height) = self.page, self.size
        tiled = _TILE_OFFSETS in page.entries
        starts = page.numbers(_TILE_OFFSETS if tiled else _STRIP_OFFSETS)
        lengths = page.numbers(_TILE_BYTES if tiled else _STRIP_BYTES)
        needed = width * height * page.number(_SAMPLES, 1) * int(self.type[1:])
        ends = [start + length for start, length in zip(starts, lengths, strict=True)]
        cut = page.number(_COMPRESSION, 1) == 1 and sum(lengths) < needed
        if cut or max(ends, default=0) > len(self.content):
            raise ValueError("the file ends before its pixels do")

    def _without_predictor(self, rows: NDArray[np.uint8]) -> NDArray:
        """(H, tiles, W, bytes of a pixel) to (H, tiles, W, samples of a pixel)."""
        predictor = self.page.number(_PREDICTOR, _NO_PREDICTOR)
        stored = np.dtype(self.page.order + self.type)
        native = stored.newbyteorder("=")
        if predictor == _NO_PREDICTOR:
            return rows.view(stored).astype(native)
        if predictor == _DIFFERENCES:
            whole = np.dtype(f"{self.page.order}u{stored.itemsize}")
            return np.cumsum(rows.view(whole), axis=2, dtype=f"u{stored.itemsize}").view(native)
        if predictor == _FLOAT_DIFFERENCES and stored.kind == "f":
            lines = rows.reshape(*rows.shape[:2], -1, self._step)
            planes = np.cumsum(lines, axis=2, dtype=np.uint8)
            planes = planes.reshape(*rows.shape[:2], stored.itemsize, -1)  # high bytes first
            together = np.ascontiguousarray(planes.swapaxes(2, 3))
            values = together.view(f">{self.type}").astype(native)
            return values.reshape(*rows.shape[:3], self._step)
        raise UnsupportedPixelsError(f"predictor {predictor} is not supported")


def tiff_samples(content: bytes) -> TiffSamples | None:
    """The file's samples, or None for one of 8 bits and less, which Pillow reads."""
    page = first_directory(content)
    bits = set(page.numbers(_BITS, (1,)))
    formats = {1 if form == _NOT_SAID else form for form in page.numbers(_SAMPLE_FORMAT, (1,))}
    if max(bits) < 16:
        return None
    depth, form = max(bits), min(formats)
    kind = _TYPES.get((form, depth))
    if kind is None or len(bits) > 1 or len(formats) > 1:
        word = _FORMATS.get(form, "values")
        raise UnsupportedPixelsError(f"{word} of {depth} bits per channel are not supported")
    return TiffSamples(content, page, kind)
