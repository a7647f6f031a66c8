"""A photo of any size down to the network's, and the layer from there up to the photo's.

Both ways go over the photo in bands of rows, so that nothing of its size but the pixels
themselves is ever held.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from semilar.photo import Floats, Pixels
from semilar.restore.curves import decode, encode
from semilar.restore.lamps import brightness
from semilar.restore.layer import CLIPPED_FROM, Layer, Small, clipped
from semilar.restore.resample import Resampler, area, cubic

# A layer is enlarged across in bands, which share rows of it with their neighbours, so large ones.
# Within a band a strip of rows is worked on at a time: with its temporaries it fits a core's cache.
_BAND_PIXELS = 400_000
_STRIP_PIXELS = 40_000
_SHRUNK = 10  # planes of a shrunk photo
_TABLES = (np.uint8, np.uint16)  # the types that `curves` takes through tables
# What each field of a layer is multiplied with, a function of linear light.
_FACTORS: tuple[Callable[[Floats], Floats] | None, ...] = (None, brightness, np.asarray, clipped)


def shrink(pixels: Pixels, size: tuple[int, int], *, threads: int = 1) -> Small:
    """Shrink encoded `pixels` (H, W, 3) to (h, w) `size` by area, in *linear* light."""
    (height, width), (rows, columns) = pixels.shape[:2], size
    down, across = area(height, rows), area(width, columns)
    planes = np.empty((rows, _SHRUNK, columns), np.float32)

    def band(start: int, stop: int) -> None:
        low = np.empty((stop - start, _SHRUNK, width), np.float32)
        for first, last in _bands(stop - start, max(1, _STRIP_PIXELS * rows // (height * width))):
            inputs, weights = down.matrix(start + first, start + last)
            _shrink_down(pixels[inputs], weights, low[first:last].reshape(last - first, -1))
        planes[start:stop] = across.along_last(low)

    _each_band(band, rows, max(1, _BAND_PIXELS * rows // (height * width)), threads)
    fields = planes.transpose(0, 2, 1)
    parts = (np.ascontiguousarray(one) for one in np.split(fields, (3, 6, 7), axis=2))
    step = 1 / np.iinfo(pixels.dtype).max if pixels.dtype.kind == "u" else 0.0
    return Small(*parts, scale=sqrt(height * width / (rows * columns)), step=step)


def _shrink_down(pixels: Pixels, weights: Floats, low: Floats) -> None:
    """Weigh the rows of encoded `pixels` (rows, W, 3) into `low` (fewer rows, planes * W).

    Planes of *linear* light: three of the mean, three of how much is clipped, one of the square of
    the brightness and three of the squares.
    """
    count, width = pixels.shape[:2]
    linear = _within_white(decode(pixels.transpose(0, 2, 1)), pixels.dtype)  # (rows, 3, W)
    bright = linear.sum(axis=1)
    bright *= bright
    np.matmul(weights, linear.reshape(count, -1), out=low[:, : 3 * width])
    np.matmul(weights, bright * np.float32(1 / 9), out=low[:, 6 * width : 7 * width])
    white = clipped(linear) if linear.max() > CLIPPED_FROM else None
    if white is None:
        low[:, 3 * width : 6 * width] = 0
    else:
        np.matmul(weights, white.reshape(count, -1), out=low[:, 3 * width : 6 * width])
    linear *= linear
    np.matmul(weights, linear.reshape(count, -1), out=low[:, 7 * width :])


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

    def strip(part: Pixels, rows: slice, terms: _Terms) -> None:
        linear = decode(part)
        removed = terms.total(_within_white(linear, pixels.dtype))
        if strength != 1:
            removed *= np.float32(strength)
        if mask is not None:
            removed *= mask[rows, :, None] * np.float32(1 / 255)
        brightest = linear.copy() if pixels.dtype.kind == "f" else None
        linear -= removed
        out[rows] = encode(linear, pixels.dtype, brightest=brightest)
        if pixels.dtype not in _TABLES:  # codes survive the way to linear light and back
            np.copyto(out[rows], part, where=removed == 0)

    def band(start: int, stop: int) -> None:
        for rows, terms in enlarge.band(start, stop):
            if terms is None:
                out[rows] = pixels[rows]
            else:
                strip(pixels[rows], rows, terms)

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


class _Terms:
    """The fields of a layer over one strip, those that are not zero throughout."""

    def __init__(self, weights: Floats, wide: dict[int, Floats]) -> None:
        self.weights, self.wide = weights, wide

    def total(self, linear: Floats) -> Floats:
        """What to take from *linear* light (rows, W, 3)."""
        total = None
        for field, rows in self.wide.items():
            term = (self.weights @ rows).reshape(linear.shape)
            if (factor := _FACTORS[field]) is not None:
                term *= factor(linear)
            total = term if total is None else np.add(total, term, out=total)
        assert total is not None
        return total


class _Enlarger:
    """Brings the fields of a layer to full size, a band of rows at a time."""

    def __init__(self, layer: Layer, size: tuple[int, int]) -> None:
        self.down: Resampler = cubic(layer.size[0], size[0])
        self.across: Resampler = cubic(layer.size[1], size[1])
        fields = (layer.base, layer.shared, layer.own, layer.lamp)  # in the order of _FACTORS
        self.planes = np.stack([field.transpose(0, 2, 1) for field in fields], axis=1)
        self.step = max(1, _STRIP_PIXELS // size[1])

    def band(self, start: int, stop: int) -> Iterator[tuple[slice, _Terms | None]]:
        """The strips of rows `start` to `stop`, each with the layer there; None if all 0."""
        inputs, _ = self.down.matrix(start, stop)
        planes = self.planes[inputs]  # (rows, field, 3, w)
        used = [field for field in range(len(_FACTORS)) if planes[:, field].any()]
        full = dict(zip(used, _interleaved(self.across.along_last(planes[:, used])), strict=True))
        for first, last in _bands(stop - start, self.step):
            rows, weights = self.down.matrix(start + first, start + last)
            here = slice(rows.start - inputs.start, rows.stop - inputs.start)
            some = {f: one[here] for f, one in full.items() if planes[here, f].any()}
            yield slice(start + first, start + last), _Terms(weights, some) if some else None


def _interleaved(wide: Floats) -> Floats:
    """Planes (rows, fields, 3, W) to pixels (fields, rows, W * 3)."""
    rows, fields, channels, width = wide.shape
    out = np.empty((fields, rows, width, channels), np.float32)
    for channel in range(channels):  # one at a time is six times as fast as one transpose
        out[..., channel] = wide[:, :, channel].swapaxes(0, 1)
    return out.reshape(fields, rows, width * channels)


def _within_white(linear: Floats, dtype: np.dtype) -> Floats:
    """*Linear* light as the network knows it; only floats and signed integers can lie outside."""
    return linear if dtype.kind == "u" else np.clip(linear, 0, 1)


def _bands(length: int, step: int) -> Iterator[tuple[int, int]]:
    yield from pairwise([*range(0, length, step), length])


def _each_band(work, length: int, step: int, threads: int) -> None:
    # Programs that each hand their products to all cores wait for one another most of the time: two
    # workers were half as fast as one.
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, *one) for one in _bands(length, step)]:
            done.result()
