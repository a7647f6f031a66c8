"""The synthesis protocol of the paper, appendix "Dataset Construction", for patterns from disk.

Only the pixels that will be kept are warped, gamma is looked up, and light sources are warped in
the small box that they fill.
"""

import math
from dataclasses import dataclass

import numpy as np
from PIL import Image

from semilar.flare.background import power_table
from semilar.flare.blur import gaussian_blur
from semilar.flare.decode import Decoded
from semilar.flare.draws import Rng, chance, uniform
from semilar.flare.patterns import PatternSet
from semilar.flare.sample import Bytes, Floats, Layers
from semilar.flare.settings import PatternSettings

DESIGN_PATTERN, DESIGN_CROP = 1440, 512
"""Sizes that the published lengths refer to; other sizes are scaled to the same field of view."""
SATURATED = 0.9
"""Linear light from which a pattern without a light-source file counts as light source."""
COARSENESS = 16
BILINEAR = Image.Resampling.BILINEAR


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
    light, flare = warp_pattern(decoded, draw, size, gamma)
    if patterns.reflective and chance(rng, settings.reflective):
        other = patterns.decode(patterns.reflective[rng.integers(len(patterns.reflective))])
        flare += warp_planes(other.flare, (0, 0), draw, size, other, black_table(other, gamma))
    sigma = draw.blur * min(size) / DESIGN_CROP
    flare, light = gaussian_blur(flare, sigma), gaussian_blur(light, sigma)
    flare *= np.float32(draw.brightness)
    np.maximum(flare - light + np.float32(draw.offset), 0, out=flare)
    return split(np.minimum(flare, 1, out=flare), np.minimum(light, 1, out=light))


def warp_pattern(
    decoded: Decoded, draw: Draw, size: tuple[int, int], gamma: float
) -> tuple[Floats, Floats]:
    """Light source and whole flare of a pattern after the affine part, (3, H, W), *linear*."""
    flare = warp_planes(decoded.flare, (0, 0), draw, size, decoded, black_table(decoded, gamma))
    if decoded.light is None:
        return flare * np.clip((flare.max(axis=0) - SATURATED) / (1 - SATURATED), 0, 1), flare
    table = np.tile(power_table(gamma), (3, 1))
    return warp_planes(decoded.light, decoded.corner, draw, size, decoded, table), flare


def black_table(decoded: Decoded, gamma: float) -> Floats:
    """Encoded codes to *linear* light per channel, (3, 256), with the pattern's black at 0."""
    linear = power_table(gamma)
    low, high = linear[decoded.low][:, None], linear[decoded.high][:, None]
    stretch = high / np.maximum(high - low, np.float32(1e-6))
    return (np.maximum(linear - low, 0) * stretch).astype(np.float32, copy=False)


def inverse_affine(draw: Draw, size: tuple[int, int], pattern: tuple[int, int]) -> np.ndarray:
    """The (2, 3) matrix from crop coordinates to pattern coordinates (pixel centres at 0.5)."""
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


def warp_planes(
    pixels: Bytes,
    corner: tuple[int, int],
    draw: Draw,
    size: tuple[int, int],
    decoded: Decoded,
    table: Floats,
) -> Floats:
    """Warp a part of a pattern that starts at `corner`; (3, H, W), *linear* light by `table`."""
    height, width = size
    matrix = inverse_affine(draw, size, (decoded.flare.shape[0], decoded.flare.shape[1]))
    matrix[:, 2] -= corner[1], corner[0]
    planes = np.zeros((3, height, width), np.float32)
    corners = matrix @ np.array([[0, width, 0, width], [0, 0, height, height], [1, 1, 1, 1]])
    left, top = np.maximum(np.floor(corners.min(axis=1)).astype(int) - 1, 0)
    right, bottom = np.ceil(corners.max(axis=1)).astype(int) + 2
    part = pixels[top:bottom, left:right]
    if not part.size:
        return planes
    matrix[:, 2] -= left, top
    shrink = max(int(abs(np.linalg.det(matrix[:, :2])) ** 0.5), 1)
    matrix /= shrink
    for channel in range(3):
        linear = np.take(table[channel], part[..., channel], mode="clip")
        plane = Image.fromarray(linear)
        if shrink > 1:
            plane = plane.reduce(shrink)
        warped = plane.transform(
            (width, height), Image.Transform.AFFINE, matrix.ravel().tolist(), BILINEAR
        )
        planes[channel] = np.asarray(warped)
    return planes


def split(flare: Floats, light: Floats) -> Layers:
    """Planes (3, H, W) to layers (H, W, 3); what is finer than a coarse mean is streak."""
    height, width = flare.shape[1:]
    smooth = np.empty_like(flare)
    for channel in range(3):
        coarse = Image.fromarray(flare[channel]).reduce(COARSENESS)
        smooth[channel] = np.asarray(coarse.resize((width, height), BILINEAR))
    glare = np.minimum(flare, smooth)
    layers = (light, glare, flare - glare)
    return Layers(*(np.ascontiguousarray(planes.transpose(1, 2, 0)) for planes in layers))
