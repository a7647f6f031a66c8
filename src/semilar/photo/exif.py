"""The few bytes of EXIF that change when a picture is turned upright, edited in place.

Everything else, maker notes with their absolute offsets included, stays byte for byte as the camera
wrote it; taking the structure apart and writing it anew would break those.
"""

import re
import struct

_ORIENTATION = 0x0112
_SHORT = 3
_MOST_ENTRIES = 512


def first_directory(exif: bytes | bytearray) -> tuple[str, int, int] | None:
    """(byte order, offset of the first entry, number of entries); None if it makes no sense."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(bytes(exif[:4]))
    if order is None or len(exif) < 10:
        return None
    (start,) = struct.unpack_from(f"{order}I", exif, 4)
    if start + 2 > len(exif):
        return None
    (count,) = struct.unpack_from(f"{order}H", exif, start)
    if count > _MOST_ENTRIES or start + 2 + 12 * count + 4 > len(exif):
        return None
    return order, start + 2, count


def _orientation_at(exif: bytes, order: str, first: int, count: int) -> int | None:
    """Offset of the orientation's value."""
    for entry in range(first, first + 12 * count, 12):
        tag, kind, length = struct.unpack_from(f"{order}HHI", exif, entry)
        if tag == _ORIENTATION and kind == _SHORT and length == 1:
            return entry + 8
    return None


def orientation(exif: bytes | None) -> int:
    """The EXIF orientation, 1 to 8; 1 (upright) where none is given."""
    found = first_directory(exif) if exif else None
    if exif is None or found is None:
        return 1
    at = _orientation_at(exif, *found)
    value = struct.unpack_from(f"{found[0]}H", exif, at)[0] if at is not None else 1
    return value if 1 <= value <= 8 else 1


def upright(exif: bytes | None) -> bytes | None:
    """The same EXIF for an upright, edited picture: orientation 1 and no link to the thumbnail.

    The thumbnail shows the picture as it was before; file browsers would go on showing it.
    """
    found = first_directory(exif) if exif else None
    if exif is None or found is None:
        return exif
    order, first, count = found
    changed = bytearray(exif)
    at = _orientation_at(exif, order, first, count)
    if at is not None:
        struct.pack_into(f"{order}H", changed, at, 1)
    struct.pack_into(f"{order}I", changed, first + 12 * count, 0)
    return bytes(changed)


def upright_xmp(xmp: bytes | None) -> bytes | None:
    """The same XMP with its orientation, if it gives one, set to upright."""
    if xmp is None:
        return None
    xmp = re.sub(rb'(tiff:Orientation\s*=\s*["\'])\d(["\'])', rb"\g<1>1\2", xmp)
    return re.sub(rb"(<tiff:Orientation>\s*)\d(\s*</)", rb"\g<1>1\2", xmp)
