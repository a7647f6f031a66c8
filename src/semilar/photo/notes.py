"""What a file holds that its restored copy will not: messages for the person."""

from pathlib import Path

from PIL import ImageFile, JpegImagePlugin

from semilar.errors import SeveralPicturesError
from semilar.photo.formats import by_suffix
from semilar.photo.tiff_layout import count_pages

# Pillow's modes that are not written as they are read, and what becomes of them.
_BECOMES = {
    "1": "is black and white without greys; its restored copy is grey",
    "P": "has a palette; its restored copy is RGB",
    "PA": "has a palette; its restored copy is RGB",
    "CMYK": "is CMYK; its restored copy is RGB",
    "YCbCr": "is YCbCr; its restored copy is RGB",
    "LAB": "is L*a*b*; its restored copy is RGB",
    "HSV": "is HSV; its restored copy is RGB",
    "RGBX": "has a fourth channel; its restored copy has not",
    "RGBa": "has its transparency multiplied into the colours; its restored copy has not",
    "La": "has its transparency multiplied into the grey; its restored copy has not",
}
_GAIN_MAPS = (b"hdrgm:Version", b"hdrgainmap")  # as Android and Apple call them
_SEVERAL_VIEWS = "Multi-Frame"  # stereo pairs, panoramas; the other kinds are previews


def count_frames(image: ImageFile.ImageFile, kind: str, content: bytes) -> int:
    """How many pictures of equal rank a file holds. A JPEG's further ones belong to its first."""
    if kind == "TIFF":
        return count_pages(content)
    return 1 if kind == "JPEG" else getattr(image, "n_frames", 1)


def check_frames(frames: int, kind: str, label: str, *, first_frame: bool) -> tuple[str, ...]:
    """Refuse to cut a file down to one picture, unless `first_frame` asks for it."""
    if frames == 1:
        return ()
    word = "pages" if kind == "TIFF" else "frames"
    if first_frame:
        return (f"{label}: holds {frames} {word}; only the first is used.",)
    raise SeveralPicturesError(
        f"{label}: holds {frames} {word}, and only one picture can be restored."
    )


def changes(
    image: ImageFile.ImageFile, kind: str, label: str, content: bytes, *, deep: bool
) -> tuple[str, ...]:
    """A message for everything that is not written as it was read; `deep`: mode says nothing."""
    found = []
    expected = by_suffix(Path(label))
    if expected is not None and expected != kind:
        found.append(f"is a {kind} file in spite of its name")
    if image.mode in _BECOMES and not deep:
        found.append(_BECOMES[image.mode])
    if kind in ("AVIF", "HEIF") and (bits := _bits(image, kind, content)) > 8:
        found.append(f"has {bits} bits per channel; its restored copy has 8")
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        found += _further_pictures(image, content)
    return tuple(f"{label}: {message}." for message in found)


def _bits(image: ImageFile.ImageFile, kind: str, content: bytes) -> int:
    if kind == "HEIF":
        return int(image.info.get("bit_depth", 8))
    at = content.find(b"av1C")  # AV1's configuration: bits 6 and 5 of its third byte
    flags = content[at + 6] if 0 <= at < len(content) - 6 else 0
    return 8 if not flags & 0x40 else 12 if flags & 0x20 else 10


def _further_pictures(image: JpegImagePlugin.JpegImageFile, content: bytes) -> list[str]:
    """Most are previews, of which nobody wants to hear; HDR and stereo are not."""
    if not image.info.get("mp"):
        return []
    if any(name in content for name in _GAIN_MAPS):
        return ["has a gain map for HDR screens; its restored copy has not"]
    try:
        views = (image._getmp() or {}).get(0xB002, [])
    except Exception:  # Pillow's parser throws nearly anything at a damaged index
        return []
    kinds = [str(view["Attribute"]["MPType"]) for view in views]
    several = sum(kind.startswith(_SEVERAL_VIEWS) for kind in kinds)
    return [f"holds {several} views; its restored copy has one"] if several > 1 else []
