"""A writer for TIFF files of integers and floats, deflate-compressed, with metadata.

Pillow writes no RGB TIFF of more than 8 bits, and its two writers (own and libtiff) differ in the
metadata they keep; its serialiser for directories does all that is needed.
"""

import io
import zlib

import numpy as np
from PIL import Image
from PIL.TiffImagePlugin import IFDRational, ImageFileDirectory_v2

from semilar.photo.model import Metadata, Pixels

_WIDTH, _HEIGHT, _BITS, _COMPRESSION, _PHOTOMETRIC = 256, 257, 258, 259, 262
_OFFSETS, _SAMPLES, _ROWS_PER_STRIP, _BYTE_COUNTS = 273, 277, 278, 279
_X_RESOLUTION, _Y_RESOLUTION, _RESOLUTION_UNIT, _PREDICTOR = 282, 283, 296, 317
_EXTRA_SAMPLES, _SAMPLE_FORMAT, _XMP, _ICC = 338, 339, 700, 34675
_DEFLATE, _UNASSOCIATED_ALPHA, _INCH = 8, 2, 2
_NO_PREDICTOR, _HORIZONTAL = 1, 2
_FORMATS = {"u": 1, "i": 2, "f": 3}
_STRIP_ROWS = 256


def tiff(pixels: Pixels, metadata: Metadata) -> bytes:
    """(H, W, 1 to 4) encoded light to the bytes of a little-endian TIFF file."""
    height, width, channels = pixels.shape
    strips = [_strip(pixels[top : top + _STRIP_ROWS]) for top in range(0, height, _STRIP_ROWS)]
    lengths = [len(strip) for strip in strips]
    directory = ImageFileDirectory_v2(prefix=b"II")
    _describe(directory, metadata)
    directory[_WIDTH], directory[_HEIGHT] = width, height
    directory[_BITS] = (pixels.dtype.itemsize * 8,) * channels
    directory[_COMPRESSION] = _DEFLATE
    directory[_PREDICTOR] = _NO_PREDICTOR if pixels.dtype.kind == "f" else _HORIZONTAL
    directory[_SAMPLE_FORMAT] = (_FORMATS[pixels.dtype.kind],) * channels
    directory[_PHOTOMETRIC] = 1 if channels < 3 else 2
    directory[_SAMPLES] = channels
    directory[_ROWS_PER_STRIP] = _STRIP_ROWS
    directory[_BYTE_COUNTS] = tuple(lengths)
    directory[_OFFSETS] = tuple(int(start) for start in np.cumsum([0, *lengths[:-1]]))
    if channels in (2, 4):
        directory[_EXTRA_SAMPLES] = _UNASSOCIATED_ALPHA
    stream = io.BytesIO()
    directory.save(stream)  # adds its own length to the offsets of the strips
    return stream.getvalue() + b"".join(strips)


def _strip(rows: Pixels) -> bytes:
    """Deflated; integers as differences to the pixel on the left, as the predictor asks."""
    stored = rows.astype(rows.dtype.newbyteorder("<"))
    if rows.dtype.kind != "f":
        np.subtract(rows[:, 1:], rows[:, :-1], out=stored[:, 1:])
    return zlib.compress(stored.tobytes(), 6)


def _describe(directory: ImageFileDirectory_v2, metadata: Metadata) -> None:
    if metadata.exif:
        exif = Image.Exif()
        exif.load(b"Exif\0\0" + metadata.exif)
        for tag in exif:
            nested = exif.get_ifd(tag) if tag in (34665, 34853) else None
            directory[tag] = nested if nested is not None else exif[tag]
        directory[274] = 1
    if metadata.icc:
        directory.tagtype[_ICC] = 7
        directory[_ICC] = metadata.icc
    if metadata.xmp:
        directory.tagtype[_XMP] = 1
        directory[_XMP] = metadata.xmp
    if metadata.dpi:
        directory[_X_RESOLUTION] = IFDRational(metadata.dpi[0])
        directory[_Y_RESOLUTION] = IFDRational(metadata.dpi[1])
        directory[_RESOLUTION_UNIT] = _INCH
