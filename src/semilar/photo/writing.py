"""Writing a photograph with the format, depth, tables and metadata that it came with."""

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, PngImagePlugin

from semilar.errors import SemilarError
from semilar.extras import load_extra
from semilar.files import write_bytes
from semilar.photo.formats import FORMATS, MOST_IN_JPEG_MARKER, by_suffix
from semilar.photo.model import Metadata, Photo, PhotoError, Pixels, to_depth
from semilar.photo.png16 import png16
from semilar.photo.tiff import tiff


def write(photo: Photo, target: Path, *, quality: int | None = None, force: bool = False) -> None:
    """Write to `target`, in the format of its suffix; without `force` nothing is replaced."""
    target = Path(target)
    kind = by_suffix(target) if target.suffix else photo.format
    if kind is None:
        known = ", ".join(one.suffixes[0] for one in FORMATS.values())
        raise PhotoError(f"{target}: cannot write {target.suffix} files; known are {known}.")
    content = encode(photo, format=kind, quality=quality)
    try:
        write_bytes(target, content, force=force)
    except OSError as error:
        raise PhotoError(f"{target}: cannot be written ({error.strerror or error}).") from None


def encode(photo: Photo, *, format: str | None = None, quality: int | None = None) -> bytes:
    """The bytes of a file. A photo whose pixels nobody touched comes back as it was read.

    `format` is a key of `formats.FORMATS` (default: what the photo was). `quality` is 1 to 100 for
    JPEG, WebP, AVIF and HEIC; left out, a JPEG keeps its quantisation tables and subsampling.
    """
    kind = format or photo.format
    if kind not in FORMATS:
        raise PhotoError(f"{photo.name}: {kind} cannot be written; known are {', '.join(FORMATS)}.")
    if quality is not None and not 1 <= quality <= 100:
        raise PhotoError(f"{photo.name}: quality {quality} is not between 1 and 100.")
    if photo.original is not None and kind == photo.format and quality is None:
        return photo.original
    pixels = _with_alpha(photo, kind)
    try:
        if kind == "TIFF":
            return tiff(pixels, photo.metadata)
        if pixels.dtype == np.uint16:
            return png16(pixels, photo.metadata) if kind == "PNG" else _ppm16(pixels)
        return _with_pillow(photo, pixels, kind, quality)
    except SemilarError:
        raise
    except (OSError, ValueError) as error:
        raise PhotoError(f"{photo.name}: cannot be written as {kind} ({error}).") from error


def losses(photo: Photo, target: Path) -> tuple[str, ...]:
    """What a file of `target`'s format can't hold of this photo, one message each."""
    kind = by_suffix(Path(target))
    if kind is None or kind == photo.format:
        return ()
    lost = []
    if photo.alpha is not None and not FORMATS[kind].alpha:
        lost.append(f"{target}: {kind} has no transparency; it is left out.")
    if (stored := _type(photo.pixels.dtype, kind)) != photo.pixels.dtype:
        lost.append(f"{target}: {kind} holds {8 * stored.itemsize} bits per channel at most.")
    return tuple(lost)


def _type(dtype: np.dtype, kind: str) -> np.dtype:
    """The type of pixel that a format stores for pixels of `dtype`."""
    if kind == "TIFF" or dtype == np.uint8:
        return dtype
    return np.dtype(np.uint16 if FORMATS[kind].deep else np.uint8)


def _with_alpha(photo: Photo, kind: str) -> Pixels:
    """(H, W, 1 to 4) as `kind` stores them: grey photos get one channel again."""
    pixels = photo.pixels
    if photo.grey:
        first = pixels[:, :, :1]
        if not (pixels == first).all():
            weights = np.array([0.299, 0.587, 0.114], np.float32)
            mixed = (pixels @ weights)[:, :, None]
            first = (mixed if pixels.dtype.kind == "f" else np.rint(mixed)).astype(pixels.dtype)
        pixels = first
    if FORMATS[kind].alpha and photo.alpha is not None:
        pixels = np.concatenate([pixels, photo.alpha[:, :, None]], axis=2)
    stored = _type(pixels.dtype, kind)
    if stored != pixels.dtype:
        pixels = to_depth(pixels, 16 if stored == np.uint16 else 8)
    return np.ascontiguousarray(pixels)


def _ppm16(pixels: Pixels) -> bytes:
    height, width, channels = pixels.shape
    magic = "P5" if channels == 1 else "P6"
    return f"{magic}\n{width} {height}\n65535\n".encode() + pixels.astype(">u2").tobytes()


def _with_pillow(photo: Photo, pixels: Pixels, kind: str, quality: int | None) -> bytes:
    if kind == "HEIF":
        load_extra("pillow_heif", "heif", what=f"{photo.name}: HEIC").register_heif_opener()
    image = Image.fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)
    stream = io.BytesIO()
    image.save(stream, format=kind, **_options(photo, kind, quality))
    return stream.getvalue()


def _options(photo: Photo, kind: str, quality: int | None) -> dict[str, Any]:
    """Keyword arguments for Pillow's writer of `kind`."""
    data = photo.metadata
    options: dict[str, Any] = {}
    if kind in ("BMP", "PPM"):  # these formats have no room for metadata
        return {"dpi": data.dpi} if kind == "BMP" and data.dpi else {}
    if data.icc:
        options["icc_profile"] = data.icc
    if data.exif and not (kind == "JPEG" and len(data.exif) > MOST_IN_JPEG_MARKER):
        options["exif"] = b"Exif\0\0" + data.exif if kind in ("JPEG", "WEBP") else data.exif
    if data.dpi and kind in ("JPEG", "PNG"):
        options["dpi"] = data.dpi
    if data.xmp and kind != "PNG" and not (kind == "JPEG" and len(data.xmp) > MOST_IN_JPEG_MARKER):
        options["xmp"] = data.xmp
    if kind == "PNG":
        options["pnginfo"] = _png_info(data)
    if FORMATS[kind].quality:
        options |= _compression(photo, kind, quality)
    return options


def _compression(photo: Photo, kind: str, quality: int | None) -> dict[str, Any]:
    data = photo.metadata
    chosen = quality or FORMATS[kind].quality
    if kind == "JPEG":
        options: dict[str, Any] = {"quality": chosen, "subsampling": 0}
        if data.jpeg_tables:
            options["subsampling"] = data.jpeg_sampling
        if data.jpeg_tables and quality is None:
            del options["quality"]
            options["qtables"] = [list(table) for table in data.jpeg_tables]
        return options | {"progressive": data.jpeg_progressive, "comment": data.jpeg_comment}
    if kind == "WEBP" and data.lossless and quality is None:
        return {"lossless": True, "exact": True}
    return {"quality": chosen}


def _png_info(data: Metadata) -> PngImagePlugin.PngInfo:
    chunks = PngImagePlugin.PngInfo()
    if data.xmp:
        chunks.add_itxt("XML:com.adobe.xmp", data.xmp.decode("utf-8", "replace"))
    for kind, text in data.png_text:
        chunks.add(kind, text)
    return chunks
