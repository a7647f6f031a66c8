"""Pictures and files that tests of several rooms need."""

import io
import struct
import zlib
from functools import cache
from typing import Any

import numpy as np
import tifffile
from PIL import Image, ImageCms


def smooth_picture(height: int = 48, width: int = 64, *, seed: int = 0) -> np.ndarray:
    """(H, W, 3) uint8: a colourful ramp with a little texture, as photographs have."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    ramp = np.stack([x / width, y / height, (x + y) / (width + height)], axis=2)
    return np.clip(ramp * 220 + rng.normal(12, 6, ramp.shape), 0, 255).astype(np.uint8)


def noise16(height: int = 37, width: int = 53, channels: int = 3, *, seed: int = 0) -> np.ndarray:
    """(H, W, C) uint16 in which every bit counts."""
    shape = (height, width, channels)
    return np.random.default_rng(seed).integers(0, 65536, shape, dtype=np.uint16)


@cache  # a profile carries the second in which it was made
def srgb_profile() -> bytes:
    """The bytes of an sRGB ICC profile."""
    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def camera_exif(orientation: int = 1, *, thumbnail: bool = False) -> bytes:
    """EXIF as a phone writes it: maker, time, exposure, place."""
    exif = Image.Exif()
    exif[0x010F], exif[0x0110] = "Maker", "Night Phone 3"
    exif[0x0112] = orientation
    exif[0x8769] = {0x9003: "2024:11:02 21:14:07", 0x829A: 0.05, 0x927C: b"maker\0note"}
    exif[0x8825] = {1: "N", 2: (52.0, 31.0, 12.0)}
    block = exif.tobytes()
    return _with_thumbnail(block) if thumbnail else block


def _with_thumbnail(exif: bytes) -> bytes:
    """Link a second directory, as cameras do for the thumbnail; Pillow does not write one."""
    block = bytearray(exif.removeprefix(b"Exif\0\0"))
    (count,) = struct.unpack_from(">H", block, 8)
    struct.pack_into(">I", block, 10 + 12 * count, len(block))
    block += struct.pack(">HHHIHHI", 1, 0x0103, 3, 1, 6, 0, 0)
    return b"Exif\0\0" + bytes(block)


def file_bytes(image: Image.Image, kind: str, **options: Any) -> bytes:
    """`image` as Pillow writes it."""
    stream = io.BytesIO()
    image.save(stream, format=kind, **options)
    return stream.getvalue()


def png_header(width: int, height: int) -> bytes:
    """The beginning of a PNG that claims to be this large, with next to nothing behind it."""
    small = file_bytes(Image.new("RGB", (1, 1)), "PNG")
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return small[:12] + head + struct.pack(">I", zlib.crc32(head)) + small[33:]


def camera_file(height: int = 64, width: int = 96) -> bytes:
    """A minimal DNG: an RGGB mosaic whose left half is dark and whose right half is bright."""
    mosaic = np.full((height, width), 4000, np.uint16)
    mosaic[:, width // 2 :] = 40000
    stream = io.BytesIO()
    identity = [
        value for pair in zip(np.eye(3, dtype=int).ravel(), [1] * 9, strict=True) for value in pair
    ]
    tags = [
        (33421, 3, 2, (2, 2), True),  # CFARepeatPatternDim
        (33422, 1, 4, b"\0\1\1\2", True),  # CFAPattern
        (50706, 1, 4, b"\1\4\0\0", True),  # DNGVersion
        (50708, 2, 0, "Test Camera", True),  # UniqueCameraModel
        (50717, 4, 1, 65535, True),  # WhiteLevel
        (50721, 10, 9, identity, True),  # ColorMatrix1
        (50728, 5, 3, (1, 1, 1, 1, 1, 1), True),  # AsShotNeutral
        (50778, 3, 1, 21, True),  # CalibrationIlluminant1
    ]
    tifffile.imwrite(stream, mosaic, photometric=32803, extratags=tags)
    return stream.getvalue()
