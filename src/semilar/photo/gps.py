"""Where a photo was taken, taken out of its EXIF and XMP; every other byte stays where it is.

What is removed is overwritten, never cut, so that nothing else moves: not the maker notes with
their absolute offsets, not the pixels of the file. So a photo whose pixels nobody touched stays the
same file, but for the place.
"""

import re
import struct

from semilar.photo.exif import first_directory

_GPS = 0x8825
_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4}
_JPEG_EXIF = re.compile(rb"\xff\xe1(..)Exif\0\0", re.DOTALL)
# exif:GPSLatitude="..." or <exif:GPSLatitude>...</exif:GPSLatitude>, whatever the prefix. Every
# length is limited, so that a hostile file costs no more time than its size.
_NAME = rb"[\w-]{1,40}:GPS\w{1,60}"
_XMP_GPS = re.compile(
    _NAME + rb"""\s{0,9}=\s{0,9}(?:"[^"<]{0,999}"|'[^'<]{0,999}')"""
    rb"""|<(""" + _NAME + rb""")(?:\s[^>]{0,999})?(?:/>|>.{0,400}?</\1\s{0,9}>)""",
    re.DOTALL | re.IGNORECASE,
)


def exif_without_gps(exif: bytes) -> bytes:
    """A TIFF structure (EXIF, or a whole TIFF file) of the same length without its GPS directory.

    The entry that points to it leaves the first directory; the positions themselves become zeros.
    """
    changed = bytearray(exif)
    while (found := first_directory(changed)) is not None:
        order, first, count = found
        entry = _gps_entry(changed, order, first, count)
        if entry is None:
            break
        (start,) = struct.unpack_from(f"{order}I", changed, entry + 8)
        end = first + 12 * count + 4  # behind the link to the next directory
        if start >= end or start + 2 < first:  # else it would wipe the first directory
            _wipe_directory(changed, order, start)
        changed[entry : end - 12] = changed[entry + 12 : end]
        changed[end - 12 : end] = bytes(12)
        struct.pack_into(f"{order}H", changed, first - 2, count - 1)
    return bytes(changed)


def xmp_without_gps(xmp: bytes) -> bytes:
    """XMP, or a file that holds it as plain text, with spaces in place of every GPS property."""
    return _XMP_GPS.sub(lambda match: b" " * len(match[0]), xmp)


def file_without_gps(content: bytes, kind: str, exif: bytes | None) -> bytes:
    """A file of the same length without GPS, where it is stored as plain bytes.

    `exif` is the block as the file holds it. In PNG a checksum guards it, so PNG stays as it is.
    """
    if kind == "PNG":
        return content
    if kind == "TIFF":
        return xmp_without_gps(exif_without_gps(content))
    if kind == "JPEG":  # its further pictures have EXIF of their own
        return xmp_without_gps(_jpeg_without_gps(content))
    if exif:
        content = content.replace(exif, _prefixed(exif))
    return xmp_without_gps(content)


def has_gps(exif: bytes | None, xmp: bytes | None) -> bool:
    """Whether either block says where the photo was taken."""
    found = first_directory(exif) if exif else None
    in_exif = exif is not None and found is not None and _gps_entry(exif, *found) is not None
    return in_exif or (xmp is not None and _XMP_GPS.search(xmp) is not None)


def _gps_entry(exif: bytes | bytearray, order: str, first: int, count: int) -> int | None:
    """Offset of the entry that points to the GPS directory."""
    entries = range(first, first + 12 * count, 12)
    return next(
        (at for at in entries if struct.unpack_from(f"{order}H", exif, at)[0] == _GPS), None
    )


def _wipe_directory(exif: bytearray, order: str, start: int) -> None:
    """Zeros over a directory and the values that lie outside of it."""
    if start + 2 > len(exif):
        return
    (count,) = struct.unpack_from(f"{order}H", exif, start)
    end = start + 2 + 12 * count + 4
    if end > len(exif):
        return
    for entry in range(start + 2, end - 4, 12):
        _, kind, length, place = struct.unpack_from(f"{order}HHII", exif, entry)
        size = _SIZES.get(kind, 0) * length
        if size > 4 and place >= 8 and place + size <= len(exif):
            exif[place : place + size] = bytes(size)
    exif[start:end] = bytes(end - start)


def _jpeg_without_gps(content: bytes) -> bytes:
    changed = bytearray(content)
    for match in _JPEG_EXIF.finditer(content):
        (length,) = struct.unpack(">H", match[1])
        start, end = match.end(), match.start() + 2 + length
        block = bytes(changed[start:end])
        if end <= len(content):
            changed[start:end] = exif_without_gps(block)
    return bytes(changed)


def _prefixed(exif: bytes) -> bytes:
    """`exif_without_gps` of a block that may begin with JPEG's mark."""
    mark = b"Exif\0\0" if exif.startswith(b"Exif\0\0") else b""
    return mark + exif_without_gps(exif[len(mark) :])
