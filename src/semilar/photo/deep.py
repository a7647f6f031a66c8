"""Pixels of 16 bits per channel from PNG and PPM, and of grey TIFF between 8 and 16 bits.

Pillow has no 16-bit RGB mode: it keeps the high byte of each value and drops the low one. But its
decoders take the byte order as a parameter, and read in the *other* order, the byte it keeps is the
low one. Two passes, one in each order, give all 16 bits at the speed of C. TIFF of 16 bits and more
is for `tiff_samples`.
"""

import re
from collections.abc import Callable

import numpy as np
from PIL import ImageFile

from semilar.photo.model import UnsupportedPixelsError

Deep = np.ndarray


def is_deep(image: ImageFile.ImageFile, kind: str) -> bool:
    """Does this opened, not yet decoded picture hold more than 8 bits per channel?"""
    if kind == "PPM":
        return image.mode in ("I", "RGB") and _ppm_maximum(image) > 255
    if kind not in ("PNG", "TIFF"):
        return False
    return image.mode.startswith("I;16") or ";16" in _raw_mode(image)


def deep_pixels(
    image: ImageFile.ImageFile,
    kind: str,
    reopen: Callable[[], ImageFile.ImageFile],
    content: bytes,
) -> tuple[Deep, Deep | None]:
    """Colour (H, W, 1 or 3) and alpha (H, W) or None, uint16, encoded light, as stored."""
    if kind == "PPM":
        return _ppm_pixels(image, content), None
    key = image.info.get("transparency")
    if image.mode.startswith("I;16"):
        values = np.asarray(image).astype(np.uint16)[:, :, None]
        return values, None if key is None else _keyed(values, (key,))
    raw = _raw_mode(image)
    if raw.startswith("LA;16"):  # four bytes a pixel, read as they lie
        stored = _decoded(image, "RGBA").astype(np.uint16)
        return (stored[:, :, 0:1] << 8) | stored[:, :, 1:2], (stored[:, :, 2] << 8) | stored[
            :, :, 3
        ]
    if not re.fullmatch(r"RGBA?;16B", raw):
        raise UnsupportedPixelsError(
            f"this arrangement of 16-bit channels ({raw}) is not supported"
        )
    low_mode = raw.replace("16B", "16L")
    values = np.asarray(image).astype(np.uint16) << 8
    values |= _decoded(reopen(), low_mode)
    if values.shape[2] == 4:
        return values[:, :, :3], np.ascontiguousarray(values[:, :, 3])
    return values, None if key is None else _keyed(values, key)


def _raw_mode(image: ImageFile.ImageFile) -> str:
    if not image.tile:
        return ""
    args = image.tile[0].args
    return args if isinstance(args, str) else str(args[0]) if args else ""


def _decoded(image: ImageFile.ImageFile, raw_mode: str) -> np.ndarray:
    """Decode with another arrangement of bytes than the file declares."""
    image.tile = [
        tile._replace(args=raw_mode if isinstance(tile.args, str) else (raw_mode, *tile.args[1:]))
        for tile in image.tile
        if tile.args is not None
    ]
    return np.asarray(image)


def _keyed(values: np.ndarray, key: tuple[int, ...]) -> np.ndarray:
    """Alpha from the one colour that a PNG declares to be see-through."""
    clear = (values == np.asarray(key, np.uint16)).all(axis=2)
    return np.where(clear, 0, 65535).astype(np.uint16)


def _ppm_maximum(image: ImageFile.ImageFile) -> int:
    args = image.tile[0].args if image.tile else None
    if isinstance(args, tuple) and args and isinstance(args[-1], int):
        return args[-1]
    return 65535 if image.mode == "I" else 255


def _ppm_pixels(image: ImageFile.ImageFile, content: bytes) -> np.ndarray:
    if not content.startswith((b"P5", b"P6")):
        raise UnsupportedPixelsError(
            "PPM files of more than 8 bits are read in their binary form only"
        )
    channels = 1 if content.startswith(b"P5") else 3
    count = image.width * image.height * channels
    stored = np.frombuffer(content, ">u2", count=count, offset=image.tile[0].offset)
    maximum = _ppm_maximum(image)
    scaled = (stored.astype(np.uint32) * 65535 + maximum // 2) // maximum
    return np.minimum(scaled, 65535).astype(np.uint16).reshape(image.height, image.width, channels)
