"""What people and programs have written into a PNG file: title, comment, software."""

import struct

_SIGNATURE_BYTES = 8
_KINDS = (b"tEXt", b"zTXt", b"iTXt")
# XMP is read and written on its own; the other is EXIF as ImageMagick once kept it, out of date
# once the picture is another.
_LEFT_OUT = (b"XML:com.adobe.xmp\0", b"Raw profile type ")


def text_chunks(content: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """(kind, content) of every chunk of text of a PNG file, in order, as the bytes they are."""
    found = []
    at = _SIGNATURE_BYTES
    while at + 12 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        text = content[at + 8 : at + 8 + length]
        if kind in _KINDS and not text.startswith(_LEFT_OUT):
            found.append((kind, text))
        at += 12 + length  # a length, a kind and a checksum are around it
    return tuple(found)
