"""The formats that are let in, recognised by their first bytes and never by their name."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Format:
    """What a file format can hold."""

    suffixes: tuple[str, ...]
    alpha: bool
    deep: bool  # more than 8 bits per channel can be written: 16, in TIFF any type
    media_type: str
    quality: int | None = None
    """Of formats that lose something, where the original does not say: nearly invisible loss."""


FORMATS: dict[str, Format] = {
    "JPEG": Format(
        (".jpg", ".jpeg", ".jpe", ".jfif"),
        alpha=False,
        deep=False,
        media_type="image/jpeg",
        quality=95,
    ),
    "PNG": Format((".png",), alpha=True, deep=True, media_type="image/png"),
    "TIFF": Format((".tif", ".tiff"), alpha=True, deep=True, media_type="image/tiff"),
    "WEBP": Format((".webp",), alpha=True, deep=False, media_type="image/webp", quality=95),
    "AVIF": Format((".avif",), alpha=True, deep=False, media_type="image/avif", quality=90),
    "BMP": Format((".bmp",), alpha=False, deep=False, media_type="image/bmp"),
    "PPM": Format(
        (".ppm", ".pgm", ".pnm"), alpha=False, deep=True, media_type="image/x-portable-pixmap"
    ),
    "HEIF": Format(
        (".heic", ".heif", ".hif"), alpha=True, deep=False, media_type="image/heic", quality=90
    ),
}

# Camera files are read (through LibRaw) and come back as 16-bit TIFF.
RAW_SUFFIXES = (".dng", ".cr2", ".cr3", ".nef", ".arw", ".orf", ".raf", ".rw2", ".pef", ".srw")

MOST_IN_JPEG_MARKER = 65_000  # bytes of EXIF, XMP or a comment

_HEIF_BRANDS = (b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1")


def known_suffixes() -> tuple[str, ...]:
    """Every suffix under which a photograph is looked for."""
    return tuple(suffix for one in FORMATS.values() for suffix in one.suffixes) + RAW_SUFFIXES


def by_suffix(path: Path) -> str | None:
    """The format that is written under this name."""
    suffix = path.suffix.lower()
    return next((name for name, one in FORMATS.items() if suffix in one.suffixes), None)


def sniff(head: bytes) -> str | None:
    """The format of a file that begins with `head` (32 bytes are enough).

    >>> sniff(b"BM" + bytes(30))
    'BMP'
    """
    if head.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if head[:4] in (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"):
        return "TIFF"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    if head[:2] == b"BM":
        return "BMP"
    if head[:2] in (b"P1", b"P2", b"P3", b"P4", b"P5", b"P6") and head[2:3].isspace():
        return "PPM"
    if head[4:8] == b"ftyp":
        if head[8:12] in (b"avif", b"avis") or b"avif" in head[16:]:
            return "AVIF"
        return "HEIF" if head[8:12] in _HEIF_BRANDS else None
    return None
