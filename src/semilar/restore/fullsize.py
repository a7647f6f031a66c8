"""A photo of any size down to the network's, and the layer from there up to the photo's.

Both ways go over the photo in bands of rows, so that nothing of its size but the pixels
themselves is ever held.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from semilar.restore.curves import Pixels, decode, encode
from semilar.restore.layer import Layer, Small, brightness, clipped
from semilar.restore.resample import Resampler, area, cubic

Floats = NDArray[np.float32]

# About what fits into a core's cache with its temporaries.
_BAND_PIXELS = 100_000


def shrink(pixels: Pixels, size: tuple[int, int], *, threads: int = 1) -> Small:
    """Shrink encoded `pixels` (H, W, 3) to (h, w) `size` by area, in *linear* light."""
    (height, width), (rows, columns) = pixels.shape[:2], size
    down, across = area(height, rows), area(width, columns)
    step = max(1, _BAND_PIXELS * rows // (height * width))
    planes = np.empty((rows, 7, columns), np.float32)

    def band(start: int, stop: int) -> None:
        inputs, weights = down.matrix(start, stop)
        linear = decode(pixels[inputs])
        fields = linear, clipped(linear), brightness(linear) ** 2
        low = [
            (weights @ one.reshape(len(one), -1)).reshape(-1, width, one.shape[2]) for one in fields
        ]
        flat = np.concatenate([one.transpose(0, 2, 1) for one in low], axis=1)
        planes[start:stop] = across.along_last(flat)

    _each_band(band, rows, step, threads)
    fields = planes.transpose(0, 2, 1)
    mean, white, square = (np.ascontiguousarray(one) for one in np.split(fields, (3, 6), axis=2))
    return Small(mean, white, square, scale=sqrt(height * width / (rows * columns)))


def subtract(
    pixels: Pixels,
    layer: Layer,
    *,
    strength: float = 1.0,
    mask: NDArray[np.uint8] | None = None,
    threads: int = 1,
) -> Pixels:
    """Take `layer` times `strength` from encoded `pixels` (H, W, 3), in *linear* light.

    `mask` (H, W) limits the effect: 0 nothing, 255 all. Where the layer is zero the pixels stay
    exactly as they are. `pixels` is not changed.
    """
    height, width = pixels.shape[:2]
    out = np.empty_like(pixels)
    enlarge = _Enlarger(layer, (height, width))

    def band(start: int, stop: int) -> None:
        part = pixels[start:stop]
        removed = enlarge.band(part, start, stop)
        if removed is None:
            out[start:stop] = part
            return
        removed *= np.float32(strength)
        if mask is not None:
            removed *= mask[start:stop, :, None] * np.float32(1 / 255)
        kept = removed == 0
        np.subtract(decode(part), removed, out=removed)
        result = encode(removed, pixels.dtype)
        np.copyto(result, part, where=kept)
        out[start:stop] = result

    _each_band(band, height, max(1, _BAND_PIXELS // width), threads)
    return out


def removed_light(before: Pixels, after: Pixels, *, threads: int = 1) -> Pixels:
    """The light that `after` lacks, as an encoded picture: what stands on black is the flare."""
    out = np.empty_like(before)

    def band(start: int, stop: int) -> None:
        light = decode(before[start:stop])
        light -= decode(after[start:stop])
        out[start:stop] = encode(light, before.dtype)

    _each_band(band, before.shape[0], max(1, _BAND_PIXELS // before.shape[1]), threads)
    return out


class _Enlarger:
    """Brings the fields of a layer to full size, a band of rows at a time."""

    def __init__(self, layer: Layer, size: tuple[int, int]) -> None:
        self.down: Resampler = cubic(layer.size[0], size[0])
        self.across: Resampler = cubic(layer.size[1], size[1])
        fields = (layer.base, layer.detail, layer.lamp)
        self.planes = [np.ascontiguousarray(field.transpose(0, 2, 1)) for field in fields]

    def band(self, part: Pixels, start: int, stop: int) -> Floats | None:
        """The layer under rows `start` to `stop`, whose pixels are `part`; None where all zero."""
        inputs, weights = self.down.matrix(start, stop)
        base, detail, lamp = (self._field(planes[inputs], weights) for planes in self.planes)
        if detail is None and lamp is None:
            return base
        linear = decode(part)
        total = np.zeros_like(linear) if base is None else base
        if detail is not None:
            total += detail * brightness(linear)
        if lamp is not None:
            total += lamp * clipped(linear)
        return total

    def _field(self, planes: Floats, weights: Floats) -> Floats | None:
        """Rows of one field from its samples (rows, 3, w), or None where they are all zero."""
        if not planes.any():
            return None
        wide = self.across.along_last(planes).transpose(0, 2, 1)
        flat = np.ascontiguousarray(wide).reshape(len(wide), -1)
        return (weights @ flat).reshape(len(weights), -1, 3)


def _bands(length: int, step: int) -> Iterator[tuple[int, int]]:
    yield from pairwise([*range(0, length, step), length])


def _each_band(work, length: int, step: int, threads: int) -> None:
    if threads <= 1:
        for start, stop in _bands(length, step):
            work(start, stop)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, *one) for one in _bands(length, step)]:
            done.result()
