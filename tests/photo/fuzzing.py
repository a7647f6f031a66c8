"""Mutated files against the reader and the writer, in a process of its own.

Run as `python -m tests.photo.fuzzing FIRST COUNT FOLDER`: prints one JSON object. A crash of a
decoder, a hang or memory beyond the limit ends this process, which the test sees.
"""

import io
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import tifffile
from PIL import Image

from semilar import photo
from semilar.errors import SemilarError
from tests.support.pictures import camera_exif, file_bytes, noise16, smooth_picture, srgb_profile

MEMORY_LIMIT = 3 * 2**30  # of address space, which is more than what is used
MAX_PIXELS = 4_000_000


def seeds() -> list[tuple[str, bytes]]:
    """One small file per format and arrangement: (suffix, content)."""
    image = Image.fromarray(smooth_picture(40, 56))
    extra = {"exif": camera_exif(6), "icc_profile": srgb_profile()}
    alpha = image.convert("RGBA")
    deep = photo.Photo(pixels=noise16(20, 24))
    return [
        (".jpg", file_bytes(image, "JPEG", **extra)),
        (".jpg", file_bytes(image, "JPEG", progressive=True)),
        (".jpg", file_bytes(image.convert("CMYK"), "JPEG")),
        (".png", file_bytes(alpha, "PNG", **extra)),
        (".png", file_bytes(image.quantize(32), "PNG", transparency=1)),
        (".png", photo.encode(deep)),
        (".tif", file_bytes(image, "TIFF", compression="tiff_lzw")),
        (".tif", file_bytes(image, "TIFF", **extra)),
        (".tif", photo.encode(deep, format="TIFF")),
        (".tif", photo.encode(photo.Photo(pixels=noise16(20, 24) / 65535), format="TIFF")),
        (".tif", by_tifffile(noise16(40, 56).astype(np.float32), tile=(16, 16))),
        (".jpg", file_bytes(image, "MPO", save_all=True, append_images=[image], **extra)),
        (".png", file_bytes(image, "PNG", save_all=True, append_images=[image.rotate(9)])),
        (".webp", file_bytes(alpha, "WEBP", **extra)),
        (".webp", file_bytes(image, "WEBP", lossless=True)),
        (".avif", file_bytes(image, "AVIF", **extra)),
        (".bmp", file_bytes(image, "BMP")),
        (".ppm", file_bytes(image, "PPM")),
        (".ppm", photo.encode(deep, format="PPM")),
        (".pgm", b"P2\n4 2\n255\n0 1 2 3 4 5 6 255\n"),
        (".heic", photo.encode(photo.Photo(pixels=np.asarray(image)), format="HEIF")),
    ]


def by_tifffile(pixels: np.ndarray, **options: Any) -> bytes:
    stream = io.BytesIO()
    tifffile.imwrite(stream, pixels, photometric="rgb", **options)
    return stream.getvalue()


def mutate(content: bytes, rng: np.random.Generator) -> bytes:
    """One to four of: flipped bits, other bytes, extreme numbers, cuts, copies, insertions."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 5))):
        at = int(rng.integers(0, max(1, len(data))))
        if rng.random() < 0.5:  # headers decide most
            at = min(at, int(rng.integers(0, 200)))
        length = int(rng.integers(1, 32))
        kind = rng.integers(0, 6)
        if kind == 0 and data:
            data[at] ^= 1 << int(rng.integers(0, 8))
        elif kind == 1:
            data[at : at + length] = rng.bytes(length)
        elif kind == 2:
            value = int(rng.choice([0, 1, 0x7FFF, 0x7FFFFFFF, 0xFFFFFFFF, 0xFFFF]))
            data[at : at + 4] = value.to_bytes(4, "little" if rng.random() < 0.5 else "big")
        elif kind == 3:
            del data[at:]
        elif kind == 4:
            data[at:at] = data[at : at + length * 8]
        else:
            del data[at : at + length]
    return bytes(data)


def main(first: int, count: int, folder: Path) -> dict[str, float]:
    """Read mutants number `first` to `first + count`, write back those that can be read."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    files = seeds()
    result = {"read": 0, "refused": 0, "slowest": 0.0}
    for number in range(first, first + count):
        suffix, content = files[number % len(files)]
        mutant = mutate(content, np.random.default_rng(number))
        name = f"{number}{suffix}"
        began = time.monotonic()
        try:
            shot = photo.read(
                mutant,
                max_pixels=MAX_PIXELS,
                name=name,
                first_frame=True,
                strip_gps=number % 2 == 0,
            )
            photo.write(shot.with_pixels(shot.pixels[::-1].copy()), folder / name)
            result["read"] += 1
        except SemilarError as error:
            message = str(error)
            assert name in message, message
            assert "\n" not in message, message
            result["refused"] += 1
        result["slowest"] = max(result["slowest"], time.monotonic() - began)
    return result


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))))
