"""Pictures that the package made itself, without anything beside their pixels: sheets and pages."""

import base64
import io

from PIL import Image

from semilar.photo.model import Bytes


def plain_png(pixels: Bytes) -> bytes:
    """*Encoded* pixels as a PNG file, written quickly rather than small."""
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG", compress_level=3)
    return stream.getvalue()


def data_address(pixels: Bytes, *, side: int) -> str:
    """*Encoded* pixels as a JPEG of `side` pixels at most, in an address for a page."""
    picture = Image.fromarray(pixels)
    picture.thumbnail((side, side), Image.Resampling.LANCZOS)
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=86)
    return f"data:image/jpeg;base64,{base64.b64encode(stream.getvalue()).decode()}"
