"""Camera RAW files, developed by LibRaw to 16-bit sRGB."""

import io

import numpy as np

from semilar.extras import load_extra
from semilar.photo.model import Photo, PhotoError


def read_raw(content: bytes, *, name: str, max_pixels: int) -> Photo:
    """Develop a camera file: camera white balance, sRGB curve, no automatic brightening.

    The picture is upright; it is written as TIFF, the only common format that keeps what it has.
    """
    rawpy = load_extra("rawpy", "raw", what=f"{name}: a camera file")
    try:
        with rawpy.imread(io.BytesIO(content)) as camera_file:
            sizes = camera_file.sizes
            if sizes.width * sizes.height > max_pixels:
                raise PhotoError(
                    f"{name}: has {sizes.width} x {sizes.height} pixels, "
                    f"more than the limit of {max_pixels:,}."
                )
            pixels = camera_file.postprocess(
                output_bps=16, use_camera_wb=True, no_auto_bright=True, gamma=(2.4, 12.92)
            )
    except rawpy.LibRawError as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise PhotoError(f"{name}: is not a camera file that can be read ({reason}).") from None
    return Photo(pixels=np.ascontiguousarray(pixels), format="TIFF", name=name)
