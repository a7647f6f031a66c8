"""Pictures as people hold them: files, bytes, Pillow images, arrays. In one kind, out the same."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semilar import photo as photos
from semilar.errors import PhotoError
from semilar.photo import Photo, Pixels

_MODES = ("L", "LA", "RGB", "RGBA", "I;16")


@dataclass(frozen=True)
class Canvas:
    """The pixels of any picture, and the way back.

    `pixels` is (H, W, 3), encoded light, uint8, uint16 or float32. `back` makes the kind of
    picture that came in from pixels of that shape.
    """

    pixels: Pixels
    grey: bool
    back: Callable[[Pixels], Any]


def canvas(picture: Any) -> Canvas:
    """Take a path, the bytes of a file, a file object, a `Photo`, a Pillow image or an array."""
    if isinstance(picture, str | Path):
        return _of_photo(photos.read(picture))
    if isinstance(picture, bytes | bytearray | memoryview):
        return _of_file(bytes(picture), type(picture))
    if isinstance(picture, Photo):
        return _of_photo(picture)
    if isinstance(picture, np.ndarray):
        return _of_array(picture)
    if hasattr(picture, "getbands") and hasattr(picture, "convert"):
        return _of_pillow(picture)
    if hasattr(picture, "read"):
        return _of_stream(picture)
    raise PhotoError(
        f"{type(picture).__name__} is no picture; give a path, bytes, a file object, a Pillow "
        "image or an array."
    )


def _of_stream(stream: Any) -> Canvas:
    """The rest of a binary file object; what comes back is another, at its beginning."""
    name = getattr(stream, "name", None)  # an int for a file descriptor
    label = name if isinstance(name, str) else None
    content = stream.read()
    if not isinstance(content, bytes):
        raise PhotoError(f"{label or 'The file object'}: gives no bytes; open it in binary mode.")
    return _of_file(content, io.BytesIO, name=label)


def _of_file(content: bytes, kind: Callable[[bytes], Any], name: str | None = None) -> Canvas:
    photo = photos.read(content, name=name)
    return Canvas(
        photo.pixels,
        photo.grey,
        lambda pixels: kind(photos.encode(photo.with_pixels(pixels))),
    )


def _of_photo(photo: Photo) -> Canvas:
    return Canvas(photo.pixels, photo.grey, photo.with_pixels)


def _of_array(array: NDArray[Any]) -> Canvas:
    """(H, W), (H, W, 1), (H, W, 3) or (H, W, 4) with alpha last."""
    channels = 1 if array.ndim == 2 else array.shape[-1]
    if array.ndim not in (2, 3) or channels not in (1, 3, 4) or array.size == 0:
        raise PhotoError(
            f"An array of shape {array.shape} is no picture; "
            "expected (H, W), (H, W, 1), (H, W, 3) or (H, W, 4)."
        )
    colour = array[..., :3] if array.ndim == 3 else array[:, :, None]
    pixels = _values(colour)
    if channels == 1:
        pixels = np.repeat(pixels, 3, axis=2)
    pixels = np.ascontiguousarray(pixels)

    def back(result: Pixels) -> NDArray[Any]:
        if array.shape == result.shape and array.dtype == result.dtype:
            return result.copy() if result is pixels else result
        changed = (result != pixels)[..., : colour.shape[2]]
        out = array.copy()
        target = out[..., :3] if array.ndim == 3 else out[:, :, None]
        np.copyto(target, result[..., : colour.shape[2]].astype(array.dtype), where=changed)
        return out

    return Canvas(pixels, channels == 1, back)


def _values(array: NDArray[Any]) -> Pixels:
    """uint8 and uint16 as they are, floats in [0, 1] as float32."""
    if array.dtype in (np.uint8, np.uint16):
        return array
    if array.dtype.kind != "f":
        raise PhotoError(f"An array of {array.dtype} is no picture; expected uint8, uint16, float.")
    low, high = float(array.min()), float(array.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise PhotoError("The array holds values that are not finite.")
    if low < 0 or high > 1:
        raise PhotoError(
            f"An array of floats holds encoded light from 0 to 1; this one goes from {low:g} to "
            f"{high:g}."
        )
    return array.astype(np.float32)


def _of_pillow(image: Any) -> Canvas:
    """Modes L, LA, RGB, RGBA and I;16 come back as they are, other modes as RGB or RGBA."""
    from PIL import Image

    plain = image
    if image.mode not in _MODES:
        plain = image.convert("RGBA" if image.has_transparency_data else "RGB")
    array = np.asarray(plain)
    if plain.mode == "LA":
        grey, alpha = array[:, :, 0], array[:, :, 1]
        held = _of_array(grey)
    else:
        held, alpha = _of_array(array), None

    def back(pixels: Pixels) -> Any:
        result = held.back(pixels)
        if alpha is not None:
            result = np.dstack([result, alpha])
        out = Image.fromarray(result, mode=None)
        out.info = dict(image.info)
        return out

    return Canvas(held.pixels, held.grey, back)
