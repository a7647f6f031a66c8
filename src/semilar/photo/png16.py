"""A writer for PNG files of 16 bits per channel (ISO/IEC 15948), which Pillow lacks for RGB."""

import struct
import zlib

import numpy as np

from semilar.photo.model import Metadata, Pixels

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPE = {1: 0, 2: 4, 3: 2, 4: 6}  # channels -> grey, grey + alpha, RGB, RGBA
_FILTER_SUB = 1
_BAND_ROWS = 256  # compressed piece by piece, so that no second copy of the picture is needed
_INCHES_PER_METRE = 39.3701


def png16(pixels: Pixels, metadata: Metadata) -> bytes:
    """(H, W, 1 to 4) uint16 encoded light to the bytes of a PNG file."""
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 16, _COLOUR_TYPE[channels], 0, 0, 0)
    return b"".join(
        [_SIGNATURE, _chunk(b"IHDR", header), *_described(metadata)]
        + [_chunk(b"IDAT", piece) for piece in _compressed(pixels)]
        + [_chunk(b"IEND", b"")]
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(content, zlib.crc32(kind))
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)


def _described(metadata: Metadata) -> list[bytes]:
    chunks = []
    if metadata.icc:
        chunks.append(_chunk(b"iCCP", b"ICC Profile\0\0" + zlib.compress(metadata.icc)))
    if metadata.dpi:
        x, y = (round(value * _INCHES_PER_METRE) for value in metadata.dpi)
        chunks.append(_chunk(b"pHYs", struct.pack(">IIB", x, y, 1)))
    if metadata.exif:
        chunks.append(_chunk(b"eXIf", metadata.exif))
    if metadata.xmp:
        chunks.append(_chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + metadata.xmp))
    return chunks + [_chunk(kind, text) for kind, text in metadata.png_text]


def _compressed(pixels: Pixels) -> list[bytes]:
    """The deflate stream in pieces; each row as its differences to the pixel on the left."""
    height, width, channels = pixels.shape
    step = channels * 2
    squeeze = zlib.compressobj(level=6)
    pieces = []
    for top in range(0, height, _BAND_ROWS):
        band = pixels[top : top + _BAND_ROWS].astype(">u2")
        stored = np.frombuffer(band.tobytes(), np.uint8).reshape(len(band), width * step)
        rows = np.empty((len(band), 1 + width * step), np.uint8)
        rows[:, 0] = _FILTER_SUB
        rows[:, 1 : 1 + step] = stored[:, :step]
        np.subtract(stored[:, step:], stored[:, :-step], out=rows[:, 1 + step :])
        pieces.append(squeeze.compress(rows.tobytes()))
    pieces.append(squeeze.flush())
    return [piece for piece in pieces if piece]
