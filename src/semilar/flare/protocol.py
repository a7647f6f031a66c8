"""The synthesis protocol of the paper, appendix "Dataset Construction", for patterns from disk.

Only the pixels that will be kept are warped, gamma is looked up, and light sources are warped in
the small box that they fill.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from semilar.flare.background import power_table
from semilar.flare.blur import gaussian_blur
from semilar.flare.decode import Decoded
from semilar.flare.draws import Rng, chance, uniform
from semilar.flare.masks import STREAK_FLOOR
from semilar.flare.patterns import PatternSet
from semilar.flare.sample import Bytes, Floats, Layers
from semilar.flare.settings import PatternSettings

DESIGN_PATTERN, DESIGN_CROP = 1440, 512
"""Sizes that the published lengths refer to; other sizes are scaled to the same field of view."""
SATURATED = 0.9
"""Linear light from which a pattern without a light-source file counts as light source."""
COARSENESS = 16
BILINEAR, NEAREST = Image.Resampling.BILINEAR, Image.Resampling.NEAREST
HIDING_BLUR = 1.0
"""A blur of this many pixels hides what bilinear interpolation would have smoothed."""


@dataclass(frozen=True)
class Draw:
    """One draw of the protocol's parameters (paper, appendix B)."""

    rotation: float
    """Degrees."""
    translation: tuple[float, float]
    """Pixels of the published crop."""
    shear: tuple[float, float]
    """Degrees along x and y."""
    scale: float
    blur: float
    flip: tuple[bool, bool]
    offset: float
    brightness: float


def draw_parameters(rng: Rng, settings: PatternSettings) -> Draw:
    """Draw all parameters of one pattern."""
    return Draw(
        rotation=uniform(rng, settings.rotation),
        translation=(uniform(rng, settings.translation), uniform(rng, settings.translation)),
        shear=(uniform(rng, settings.shear), uniform(rng, settings.shear)),
        scale=uniform(rng, settings.scale),
        blur=uniform(rng, settings.blur),
        flip=(settings.flip and chance(rng, 0.5), settings.flip and chance(rng, 0.5)),
        offset=uniform(rng, settings.offset),
        brightness=uniform(rng, settings.brightness),
    )


def pattern_layers(
    rng: Rng,
    patterns: PatternSet,
    size: tuple[int, int],
    gamma: float,
    settings: PatternSettings,
) -> Layers:
    """Layers of one pattern, *linear* light, cut to (height, width) `size`."""
    group = patterns.groups[rng.integers(len(patterns.groups))]
    decoded = patterns.decode(group[rng.integers(len(group))])
    draw = draw_parameters(rng, settings)
    sigma = draw.blur * min(size) / DESIGN_CROP
    parts = [decoded]
    if patterns.reflective and chance(rng, settings.reflective):
        parts.append(patterns.decode(patterns.reflective[rng.integers(len(patterns.reflective))]))
    flare = np.zeros((3, *size), np.float32)
    for part in parts:
        matrix = inverse_affine(draw, size, part)
        warp_into(flare, part.flare, matrix, black_table(part, gamma), sigma)
    light = light_planes(decoded, draw, flare, gamma, sigma)
    flare = gaussian_blur(flare, sigma)
    flare *= np.float32(draw.brightness)
    flare -= light
    flare += np.float32(draw.offset)
    np.clip(flare, 0, 1, out=flare)
    return Layers(_interleaved(light), _interleaved(flare), find_streaks(flare))


def light_planes(decoded: Decoded, draw: Draw, flare: Floats, gamma: float, sigma: float) -> Floats:
    """The light source after warp and blur, (3, H, W), *linear* light in [0, 1].

    Without a file of its own it is what is saturated in the warped `flare`.
    """
    size = flare.shape[1], flare.shape[2]
    if decoded.light is None:
        saturated = np.clip((flare.max(axis=0) - SATURATED) / (1 - SATURATED), 0, 1)
        return gaussian_blur(flare * saturated, sigma)
    light = np.zeros_like(flare)
    matrix = inverse_affine(draw, size, decoded)
    matrix[:, 2] -= decoded.corner[1], decoded.corner[0]
    table = np.tile(power_table(gamma), (3, 1))
    box = warp_into(light, decoded.light, matrix, table, sigma)
    light[box] = gaussian_blur(light[box], sigma) if light[box].size else 0
    return np.minimum(light, 1, out=light)


def black_table(decoded: Decoded, gamma: float) -> Floats:
    """Encoded codes to *linear* light per channel, (3, 256), with the pattern's black at 0."""
    linear = power_table(gamma)
    low, high = linear[decoded.low][:, None], linear[decoded.high][:, None]
    stretch = high / np.maximum(high - low, np.float32(1e-6))
    return (np.maximum(linear - low, 0) * stretch).astype(np.float32, copy=False)


def inverse_affine(draw: Draw, size: tuple[int, int], decoded: Decoded) -> np.ndarray:
    """The (2, 3) matrix from crop coordinates to pattern coordinates (pixel centres at 0.5)."""
    pattern = decoded.flare.shape[1:]
    view = min(size) / DESIGN_CROP
    scale = draw.scale * view * DESIGN_PATTERN / min(pattern)
    angle = math.radians(draw.rotation)
    shear_x, shear_y = (math.tan(math.radians(degrees)) for degrees in draw.shear)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    flips = np.diag([-1.0 if flipped else 1.0 for flipped in draw.flip])
    back = np.linalg.inv(scale * flips @ turn @ np.array([[1, shear_x], [shear_y, 1]]))
    from_centre = np.array([size[1] / 2, size[0] / 2]) + np.array(draw.translation) * view
    to_centre = np.array([pattern[1] / 2, pattern[0] / 2])
    return np.column_stack([back, to_centre - back @ from_centre])


def warp_into(
    canvas: Floats, pixels: Bytes, matrix: np.ndarray, table: Floats, sigma: float
) -> tuple[slice, slice, slice]:
    """Add encoded `pixels` (3, h, w), made linear by `table`, to `canvas` (3, H, W).

    `matrix` leads from the canvas to the pixels. Only the box of the canvas that they reach is
    computed, and only from the pixels that this box needs. The box that a blur of `sigma`, which
    is to follow, makes of it is returned.
    """
    height, width = canvas.shape[1:]
    x0, x1, y0, y1 = _reached(np.linalg.inv(_square(matrix)), pixels.shape[1:], (height, width))
    left, right, top, bottom = _reached(
        _square(matrix), (y1 - y0, x1 - x0), pixels.shape[1:], x0, y0
    )
    margin = math.ceil(3 * sigma)
    wide = (
        slice(None),
        slice(max(y0 - margin, 0), max(y1 + margin, 0)),
        slice(max(x0 - margin, 0), max(x1 + margin, 0)),
    )
    if x0 >= x1 or y0 >= y1 or left >= right or top >= bottom:
        return (slice(None), slice(0, 0), slice(0, 0))
    local = matrix.copy()
    local[:, 2] += matrix[:, :2] @ (x0, y0) - (left, top)
    shrink = max(int(abs(np.linalg.det(matrix[:, :2])) ** 0.5), 1)
    local /= shrink
    filter_ = NEAREST if sigma >= HIDING_BLUR else BILINEAR
    for channel in range(3):
        part = pixels[channel, top:bottom, left:right]
        plane = Image.fromarray(np.take(table[channel], part, mode="clip"))
        plane = plane.reduce(shrink) if shrink > 1 else plane
        warped = plane.transform(
            (x1 - x0, y1 - y0), Image.Transform.AFFINE, local.ravel().tolist(), filter_
        )
        canvas[channel, y0:y1, x0:x1] += np.asarray(warped)
    return wide


def _square(matrix: np.ndarray) -> np.ndarray:
    return np.vstack([matrix, [0, 0, 1]])


def _reached(
    matrix: np.ndarray,
    size: tuple[int, ...],
    limits: tuple[int, ...],
    left: int = 0,
    top: int = 0,
) -> tuple[int, int, int, int]:
    """Columns and rows within `limits` that a picture of `size` at (left, top) is mapped to."""
    xs, ys = (left, left + size[1]), (top, top + size[0])
    corners = matrix @ np.array([[x, y, 1] for x in xs for y in ys]).T
    low = np.floor(corners.min(axis=1)).astype(int) - 2
    high = np.ceil(corners.max(axis=1)).astype(int) + 2
    columns = max(int(low[0]), 0), min(int(high[0]), limits[1])
    rows = max(int(low[1]), 0), min(int(high[1]), limits[0])
    return (*columns, *rows)


def find_streaks(flare: Floats) -> NDArray[np.bool_]:
    """Where planes (3, H, W) stand out of their coarse mean, (H, W)."""
    light = Image.fromarray(flare.mean(axis=0))
    coarse = light.reduce(COARSENESS).resize(light.size, BILINEAR)
    return np.asarray(light) - np.asarray(coarse) > STREAK_FLOOR


def _interleaved(planes: Floats) -> Floats:
    return np.ascontiguousarray(planes.transpose(1, 2, 0))
