"""Reading a photograph that nobody vouches for.

The format is told by the first bytes, from an allow-list; the size is checked before anything is
decoded; whatever a decoder throws at a damaged file becomes one error with the file's name.
"""

import io
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageCms, ImageFile, JpegImagePlugin

from semilar.errors import SemilarError
from semilar.extras import load_extra
from semilar.photo import exif as exif_block
from semilar.photo.deep import deep_pixels, is_deep
from semilar.photo.formats import FORMATS, MOST_IN_JPEG_MARKER, RAW_SUFFIXES, sniff
from semilar.photo.gps import exif_without_gps, file_without_gps, has_gps, xmp_without_gps
from semilar.photo.model import Metadata, Photo, PhotoError, Pixels, UnsupportedPixelsError
from semilar.photo.notes import changes, check_frames, count_frames
from semilar.photo.png_text import text_chunks
from semilar.photo.raw import read_raw
from semilar.photo.tiff_samples import TiffSamples, tiff_samples

DEFAULT_MAX_PIXELS = 200_000_000
# EXIF orientation -> (transpose first, then flip rows, flip columns)
_TURNS = {
    2: (False, False, True),
    3: (False, True, True),
    4: (False, True, False),
    5: (True, False, False),
    6: (True, False, True),
    7: (True, True, True),
    8: (True, True, False),
}
# TIFF tags that describe the picture, as opposed to how its bytes are laid out in the file
_TIFF_EXIF_TAGS = (270, 271, 272, 305, 306, 315, 33432, 34665, 34853)


def read(
    source: Path | str | bytes,
    *,
    max_pixels: int = DEFAULT_MAX_PIXELS,
    name: str | None = None,
    first_frame: bool = False,
    strip_gps: bool = False,
) -> Photo:
    """Read a file, or its bytes, as upright encoded pixels with their metadata.

    `max_pixels` is checked before decoding. `name` stands in messages (the path if not given). Of
    an animation or a file of several pages, which are refused otherwise, `first_frame` takes the
    first picture. `strip_gps` leaves out where the photo was taken, and nothing else.
    """
    label = name or ("picture" if isinstance(source, bytes) else str(source))
    content = source if isinstance(source, bytes) else _file_bytes(Path(source))
    if not content:
        raise PhotoError(f"{label}: is empty.")
    suffix = Path(label).suffix.lower()
    kind = "RAW" if suffix in RAW_SUFFIXES else sniff(content[:64])
    if kind is None:
        raise PhotoError(f"{label}: is not a picture in a known format ({_known()}).")
    try:
        if kind == "RAW":
            return read_raw(content, name=label, max_pixels=max_pixels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            photo = _decode(
                content, kind, label, max_pixels, first_frame=first_frame, strip_gps=strip_gps
            )
    except SemilarError:
        raise
    except UnsupportedPixelsError as error:
        raise PhotoError(f"{label}: {error}.") from None
    except MemoryError:
        raise PhotoError(f"{label}: needs more memory than there is.") from None
    except Exception as error:  # decoders throw nearly anything at damaged files
        reason = str(error).strip().rstrip(".") or type(error).__name__
        raise PhotoError(f"{label}: is a damaged {kind} file ({reason}).") from error
    return photo


def _file_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise PhotoError(f"{path}: there is no such file.") from None
    except IsADirectoryError:
        raise PhotoError(f"{path}: is a folder, not a picture.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise PhotoError(f"{path}: cannot be read ({reason}).") from None


def _known() -> str:
    return ", ".join(FORMATS) + ", camera RAW"


def _open(content: bytes, kind: str, label: str) -> ImageFile.ImageFile:
    """Open with the one decoder that belongs to `kind`.

    Pillow's own `Image.open` would first apply its global pixel limit, which is lower than ours.
    """
    stream = io.BytesIO(content)
    if kind == "JPEG":  # not the factory, which looks for further pictures in MPO files
        return JpegImagePlugin.JpegImageFile(stream)
    if kind == "HEIF":
        load_extra("pillow_heif", "heif", what=f"{label}: HEIC").register_heif_opener()
    if kind not in Image.OPEN:
        Image.init()
    return Image.OPEN[kind][0](stream, "")


def _decode(
    content: bytes,
    kind: str,
    label: str,
    max_pixels: int,
    *,
    first_frame: bool,
    strip_gps: bool,
) -> Photo:
    samples = tiff_samples(content) if kind == "TIFF" else None
    if samples is not None:
        check_size(samples.size, label, max_pixels)
        image = samples.image
    else:
        image = _open(content, kind, label)
        check_size(image.size, label, max_pixels)
    frames = count_frames(image, kind, content)
    notes = check_frames(frames, kind, label, first_frame=first_frame)
    notes += changes(image, kind, label, content, deep=samples is not None)
    metadata = _metadata(image, kind)
    if kind == "PNG":
        metadata = replace(metadata, png_text=text_chunks(content))
    turn = _turn_left(kind, metadata, samples)
    original = content if frames == 1 and _as_stored(image, kind, turn) else None
    if strip_gps:
        metadata, original = _without_gps(metadata, original, image, kind)
    if samples is not None:
        pixels, alpha = samples.pixels()
        grey = pixels.shape[2] == 1
    elif is_deep(image, kind):
        pixels, alpha = deep_pixels(image, kind, lambda: _open(content, kind, label), content)
        grey = pixels.shape[2] == 1
    else:
        image, metadata = _to_plain(image, metadata)
        grey = image.mode in ("L", "LA")
        pixels, alpha = _split(np.asarray(image))
    if grey:
        pixels = np.repeat(pixels, 3, axis=2)
    return Photo(
        pixels=_turn(pixels, turn),
        alpha=None if alpha is None else _turn(alpha, turn),
        format=kind,
        grey=grey,
        metadata=_turned(metadata, turn),
        name=label,
        notes=notes,
        original=original,
    )


def _turn_left(kind: str, metadata: Metadata, samples: TiffSamples | None) -> int:
    """The EXIF orientation that is still to be applied; Pillow turns the TIFF files it reads."""
    if kind == "TIFF":
        return samples.orientation if samples else 1
    return exif_block.orientation(metadata.exif)


def _as_stored(image: ImageFile.ImageFile, kind: str, turn: int) -> bool:
    """Whether the pixels stay where the file has them."""
    return turn == 1 and not (kind == "TIFF" and image.getexif().get(0x0112, 1) != 1)


def _without_gps(
    metadata: Metadata, original: bytes | None, image: ImageFile.ImageFile, kind: str
) -> tuple[Metadata, bytes | None]:
    """Metadata and file without the place; no file where it can't be taken out of it."""
    exif, xmp = metadata.exif, metadata.xmp
    raw_text = any(str(key).startswith("Raw profile type") for key in image.info)  # in PNG
    if original is not None and (raw_text or has_gps(exif, xmp)):
        original = file_without_gps(original, kind, image.info.get("exif"))
        samples = tiff_samples(original) if kind == "TIFF" else None
        after = _metadata(samples.image if samples else _open(original, kind, ""), kind)
        if raw_text or has_gps(after.exif, after.xmp):
            original = None
    stripped = replace(
        metadata,
        exif=exif_without_gps(exif) if exif else None,
        xmp=xmp_without_gps(xmp) if xmp else None,
    )
    return stripped, original


def check_size(size: tuple[int, int], label: str, max_pixels: int) -> None:
    """Refuse a picture of more than `max_pixels` before it is decoded."""
    width, height = size
    if width < 1 or height < 1:
        raise PhotoError(f"{label}: has no pixels ({width} x {height}).")
    if width * height > max_pixels:
        raise PhotoError(
            f"{label}: has {width} x {height} pixels, more than the limit of {max_pixels:,}."
        )


def _metadata(image: ImageFile.ImageFile, kind: str) -> Metadata:
    info = image.info
    exif = _tiff_exif(image) if kind == "TIFF" else info.get("exif") or None
    if exif is not None and exif.startswith(b"Exif\0\0"):
        exif = exif[6:]
    tables = None
    sampling = -1
    comments: list[bytes] = []
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        tables = tuple(tuple(table) for _, table in sorted(image.quantization.items()))
        sampling = JpegImagePlugin.get_sampling(image)
        comments = [text for marker, text in image.applist if marker == "COM"]
    dpi = info.get("dpi")
    xmp = info.get("xmp")
    return Metadata(
        icc=info.get("icc_profile") or None,
        exif=exif,
        xmp=xmp.encode() if isinstance(xmp, str) else xmp,
        dpi=(float(dpi[0]), float(dpi[1])) if dpi else None,
        jpeg_tables=tables,
        jpeg_sampling=sampling,
        jpeg_progressive=kind == "JPEG" and bool(info.get("progressive")),
        jpeg_comment=b"\n".join(comments)[:MOST_IN_JPEG_MARKER] or None,
        lossless=kind == "WEBP" and b"VP8L" in _head(image),
    )


def _head(image: ImageFile.ImageFile) -> bytes:
    stream = image.fp
    if stream is None:
        return b""
    stream.seek(0)
    return stream.read(256)


def _tiff_exif(image: ImageFile.ImageFile) -> bytes | None:
    source = image.getexif()
    kept = Image.Exif()
    for tag in _TIFF_EXIF_TAGS:
        if tag in source:
            nested = source.get_ifd(tag) if tag in (34665, 34853) else None
            kept[tag] = nested if nested is not None else source[tag]
    return kept.tobytes().removeprefix(b"Exif\0\0") if len(kept) else None


def _turned(metadata: Metadata, turn: int) -> Metadata:
    """Metadata of the upright picture; JPEG's tables turn with their blocks."""
    tables = metadata.jpeg_tables
    if tables is not None and turn >= 5:
        tables = tuple(
            tuple(np.asarray(table).reshape(8, 8).T.ravel().tolist()) for table in tables
        )
    dpi = metadata.dpi
    return replace(
        metadata,
        exif=exif_block.upright(metadata.exif),
        xmp=exif_block.upright_xmp(metadata.xmp),
        dpi=(dpi[1], dpi[0]) if dpi and turn >= 5 else dpi,
        jpeg_tables=tables,
    )


def _to_plain(image: Image.Image, metadata: Metadata) -> tuple[Image.Image, Metadata]:
    """Any 8-bit mode to L, LA, RGB or RGBA. CMYK goes to sRGB by its profile where it has one."""
    mode = image.mode
    if mode in ("L", "LA", "RGB", "RGBA") and "transparency" not in image.info:
        image.load()
        return image, metadata
    if mode in ("CMYK", "YCbCr", "LAB", "HSV"):
        return _to_srgb(image, metadata)
    grey = mode in ("1", "L", "La")
    clear = "transparency" in image.info or mode in ("PA", "La", "RGBa")
    if grey or mode in ("RGB", "P", "PA", "RGBa", "RGBX"):
        plain = ("LA" if clear else "L") if grey else ("RGBA" if clear else "RGB")
        return image.convert(plain), metadata
    raise UnsupportedPixelsError(f"its pixels of kind {mode!r} (32 bit) are not supported")


def _to_srgb(image: Image.Image, metadata: Metadata) -> tuple[Image.Image, Metadata]:
    """To sRGB; the old profile would describe the new numbers wrongly, so it goes."""
    plain = replace(metadata, icc=None, jpeg_sampling=-1)
    if metadata.icc and image.mode in ("CMYK", "LAB"):
        try:
            source = ImageCms.ImageCmsProfile(io.BytesIO(metadata.icc))
            turned = ImageCms.profileToProfile(
                image, source, ImageCms.createProfile("sRGB"), outputMode="RGB"
            )
            if turned is not None:
                return turned, plain
        except (ImageCms.PyCMSError, OSError, ValueError):
            pass  # a broken profile: go on as if there were none
    return image.convert("RGB"), plain


def _split(array: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """(H, W[, C]) to colour (H, W, 1 or 3) and alpha (H, W) or None."""
    if array.ndim == 2:
        return array[:, :, None], None
    if array.shape[2] in (2, 4):
        return array[:, :, :-1], np.ascontiguousarray(array[:, :, -1])
    return array, None


def _turn(array: Pixels, orientation: int) -> Pixels:
    transpose, rows, columns = _TURNS.get(orientation, (False, False, False))
    if transpose:
        array = array.swapaxes(0, 1)
    array = array[:: -1 if rows else 1, :: -1 if columns else 1]
    return np.ascontiguousarray(array)
