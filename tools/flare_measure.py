"""Numbers that describe a flare layer, to compare simulated flares with real ones.

All functions take *linear* light. A layer is what was added to the clean scene; the layer of a
real pair is signed (noise and small shifts between the two exposures), so means are taken before
anything is clipped.
"""

from dataclasses import dataclass

import numpy as np
from PIL import Image

from semilar.flare.sample import Floats

ANGLES = 240
RADII = 48
NEAR, FAR = 0.02, 0.4
"""Distances from the source, in short sides, between which the fall-off is fitted."""
RING = (0.06, 0.25)
"""Distances between which arms are counted."""
FLOOR = 5e-4
"""Linear light below which a mean is noise."""
VISIBLE_BELOW = 45.0
"""PSNR of an encoded picture against its clean scene from which on its flare cannot be seen."""


@dataclass(frozen=True)
class FlareMeasure:
    """One layer in numbers."""

    mean: float
    """Mean linear light added, in percent of full scale."""
    above_1: float
    """Percent of the picture where more than 1 % of full scale was added, less the percent where
    as much was taken away: noise and shifted edges do both alike."""
    above_5: float
    above_20: float
    falloff: float
    """Exponent of the fall-off with distance: light ~ distance^-falloff."""
    arms: float
    """Streak arms that leave the strongest source."""
    arm_width: float
    """Width of those arms at half height, in percent of the short side."""
    saturation: float
    """Mean colour saturation where more than 5 % was added, 0 grey to 1 pure."""


def measure(layer: Floats) -> FlareMeasure:
    """Measure a signed layer (H, W, 3), *linear* light."""
    smooth = _smooth(layer)
    brightness = smooth.mean(axis=2)
    x, y = find_centre(layer)
    profile = polar(brightness, x, y)
    arms, width = count_arms(profile)
    tops = smooth.max(axis=2)
    strong = brightness > 0.05
    lows, tops = np.maximum(smooth.min(axis=2)[strong], 0), tops[strong]
    return FlareMeasure(
        mean=100 * float(layer.mean()),
        above_1=_net_share(brightness, 0.01),
        above_5=_net_share(brightness, 0.05),
        above_20=_net_share(brightness, 0.20),
        falloff=fit_falloff(profile),
        arms=arms,
        arm_width=width,
        saturation=float(((tops - lows) / tops).mean()) if tops.size else float("nan"),
    )


def _net_share(brightness: Floats, level: float) -> float:
    more, less = (brightness > level).mean(), (brightness < -level).mean()
    return 100 * max(float(more) - float(less), 0.0)


def distances() -> Floats:
    """Distance of every column of a polar picture, in short sides, equally spaced in logarithm."""
    return np.geomspace(0.01, 0.5, RADII).astype(np.float32)


def find_centre(layer: Floats) -> tuple[float, float]:
    """Where the flare comes from: the middle of the brightest coarse cell and its neighbours."""
    cell = max(min(layer.shape[:2]) // 24, 1)
    coarse = np.asarray(Image.fromarray(layer.mean(axis=2).astype(np.float32)).reduce(cell))
    row, column = divmod(int(coarse.argmax()), coarse.shape[1])
    top, left = max(row - 1, 0), max(column - 1, 0)
    part = np.maximum(coarse[top : row + 2, left : column + 2], 0)
    rows, columns = np.indices(part.shape)
    total = max(float(part.sum()), 1e-9)
    y = float((rows * part).sum()) / total + top + 0.5
    x = float((columns * part).sum()) / total + left + 0.5
    return x * cell, y * cell


def polar(plane: Floats, x: float, y: float) -> Floats:
    """The plane around (x, y) as (ANGLES, RADII); outside the picture it is not a number."""
    angles = np.linspace(0, 2 * np.pi, ANGLES, endpoint=False)[:, None]
    reach = distances()[None, :] * min(plane.shape)
    columns = np.round(x + np.cos(angles) * reach - 0.5).astype(int)
    rows = np.round(y + np.sin(angles) * reach - 0.5).astype(int)
    inside = (rows >= 0) & (rows < plane.shape[0]) & (columns >= 0) & (columns < plane.shape[1])
    picture = np.full(rows.shape, np.nan, np.float32)
    picture[inside] = plane[rows[inside], columns[inside]]
    return picture


def fit_falloff(profile: Floats) -> float:
    """Slope of the mean over all angles against distance, both in logarithms."""
    distance = distances()
    ring = (distance >= NEAR) & (distance <= FAR)
    known = ~np.isnan(profile)
    mean = np.where(known, profile, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    use = ring & (mean > FLOOR) & (known.sum(axis=0) > ANGLES // 8)
    if use.sum() < 5:
        return float("nan")
    return -float(np.polyfit(np.log(distance[use]), np.log(mean[use]), 1)[0])


def count_arms(profile: Floats) -> tuple[float, float]:
    """How many arms stand out of the ring around the source, and how wide they are."""
    distance = distances()
    ring = (distance >= RING[0]) & (distance <= RING[1])
    part = profile[:, ring]
    known = (~np.isnan(part)).sum(axis=1)
    light = np.where(known > 0, np.nansum(part, axis=1) / np.maximum(known, 1), np.nan)
    light = light[known > ring.sum() // 2]
    if light.size < 20:
        return 0.0, float("nan")
    base = float(np.median(light))
    height = light - base
    threshold = max(0.25 * float(height.max()), 2 * FLOOR, 0.5 * base)
    high = height > threshold
    starts = np.flatnonzero(high & ~np.roll(high, 1))
    if not starts.size:
        return 0.0, float("nan")
    half = (height > 0.5 * float(height.max())).sum() / max(len(starts), 1)
    radius = float(np.sqrt(RING[0] * RING[1]))
    return float(len(starts)), 100 * float(half) * 2 * np.pi / ANGLES * radius


def _smooth(layer: Floats) -> Floats:
    """Mean over 3 x 3 pixels: keeps streaks, drops noise."""
    padded = np.pad(layer, ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    return (rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]) * np.float32(1 / 9)
