"""Streaks and stars: lines through every source, dispersed along and bent by oblique light.

A fine periodic structure on the lens (a weave, wiping marks, a star filter, the pixels of a
display) adds multiples of λ/Λ to one direction cosine of the light and keeps the other one. The
points that keep it lie on a hyperbola, so a line bows away from the optical centre; along the
line the orders of all wavelengths overlap to interference colours; across it, the line is as wide
as the source.
"""

from dataclasses import dataclass

import numpy as np

from semilar.flare.draws import Rng, chance, log_uniform, uniform
from semilar.flare.frame import Frame
from semilar.flare.lights import REFERENCE_RADIANCE, REFERENCE_RADIUS, Light
from semilar.flare.sample import Floats
from semilar.flare.settings import StreakSettings
from semilar.flare.spectrum import interference

STEPS = 512
REACH = 1.5
"""Lines end at this many short sides from the source."""
FAINTEST = 0.0008
"""Linear light that no eye and no 8-bit file tells from 0."""
THINNEST = 0.7
"""Half-width in pixels of the thinnest line; thinner ones keep their light and get fainter."""
FOOT = 3.0
"""Width of a line's foot, in widths of the line."""


@dataclass(frozen=True)
class Line:
    """One line of a star, in a frame of its own."""

    along: Floats
    """Position along the line's direction, in pixels, (H, W)."""
    across: Floats
    """Position across it; equal values lie on one bent line, (H, W)."""
    light: Floats
    """Light along the line, on one side of the source and then on the other, (2 STEPS, 3)."""
    tail: Floats
    """The most that is still to come from each step outwards on either side, (STEPS,)."""
    width: float
    spread: float
    skirt: float
    direction: tuple[float, float]
    focal: float


def draw_lines(rng: Rng, frame: Frame, settings: StreakSettings) -> list[Line]:
    """The lines that every source of the picture shows."""
    count = 1 + int(rng.choice(len(settings.axes), p=settings.axes))
    focal = uniform(rng, settings.focal) * frame.side
    first = uniform(rng, (0, np.pi))
    angles = [first + np.pi * k / count + float(rng.normal(0, 0.06)) for k in range(count)]
    cool = uniform(rng, (-settings.tint, settings.tint))
    tint = np.array([1 - cool, 1, 1 + cool], np.float32)
    power = tint * np.float32(log_uniform(rng, settings.height))
    x, y = frame.axes()
    slant = (np.float32(focal) / np.sqrt(x * x + y * y + np.float32(focal**2))).astype(np.float32)
    shape = {
        "width": log_uniform(rng, settings.width),
        "spread": uniform(rng, settings.spread),
        "skirt": uniform(rng, settings.skirt),
        "focal": focal,
    }
    lines = []
    for angle in angles:
        c, s = np.array([np.cos(angle), np.sin(angle)], np.float32)
        light = _draw_light(rng, settings, power * np.float32(rng.uniform(0.5, 1.0)))
        along, across = (c * x + s * y) * slant, (c * y - s * x) * slant
        lines.append(
            Line(along, across, light, _tail(light), direction=(float(c), float(s)), **shape)
        )
    return lines


def add_line(canvas: Floats, line: Line, light: Light, frame: Frame) -> None:
    """Add the line of one source to `canvas` (H, W, 3), *linear* light.

    The line is the source's image drawn out: its light grows with the source's width. A line wider
    than its source spreads the same light.
    """
    half = max(light.radius * line.width, THINNEST, light.gap)
    chord = light.radius / (REFERENCE_RADIUS * frame.side) * light.radius * line.width / half
    chord /= max(line.width, 1.0)
    gain = light.radiance * np.float32(chord / REFERENCE_RADIANCE)
    visible = np.searchsorted(-line.tail, -FAINTEST / float(gain.max()))
    reach = float(visible) / STEPS * REACH * frame.side
    if reach < 1:
        return
    along0, across0 = _project(line, light, frame)
    foot = FOOT if line.skirt else 1.0
    offset = line.across - np.float32(across0)
    np.abs(offset, out=offset)
    where = np.flatnonzero(offset < np.float32(foot * (half + line.spread * reach)))
    position = line.along.ravel()[where] - np.float32(along0)
    keep = np.abs(position) < np.float32(reach)
    where, position = where[keep], position[keep]
    distance = np.abs(position)
    profile = _across(line, offset.ravel()[where], distance, np.float32(half))
    index = (distance * np.float32((STEPS - 1) / (REACH * frame.side))).astype(np.int32)
    index += np.where(position > 0, 0, STEPS).astype(np.int32)
    light_along = np.take(line.light, index, axis=0, mode="clip")
    light_along *= profile[:, None] * gain
    canvas.reshape(-1, 3)[where] += light_along


def _across(line: Line, offset: Floats, distance: Floats, half: np.float32) -> Floats:
    """Profile across the line: a disc seen edge-on, on a wide foot; it widens along the line."""
    breadth = half + np.float32(line.spread) * distance
    v = offset / breadth
    profile = np.sqrt(np.maximum(1 - v * v, 0))
    if line.skirt:
        outer = np.maximum(1 - (v / FOOT) ** 2, 0)
        profile += np.float32(line.skirt) * outer * outer
    return profile * (half / breadth)


def _project(line: Line, light: Light, frame: Frame) -> tuple[float, float]:
    """Position of a source in the line's own coordinates."""
    x, y = light.x - frame.centre[0], light.y - frame.centre[1]
    slant = line.focal / (x * x + y * y + line.focal**2) ** 0.5
    c, s = line.direction
    return (c * x + s * y) * slant, (c * y - s * x) * slant


def _tail(light: Floats) -> Floats:
    peak = light.max(axis=1).reshape(2, STEPS).max(axis=0)
    return np.maximum.accumulate(peak[::-1])[::-1]


def _draw_light(rng: Rng, settings: StreakSettings, power: Floats) -> Floats:
    """Light along the line on its two sides."""
    distance = np.linspace(0, REACH, STEPS, dtype=np.float32)
    length = np.float32(log_uniform(rng, settings.length))
    falloff = np.float32(uniform(rng, settings.falloff))
    core = length * np.float32(0.15)
    end = np.clip(1 - distance / length, 0, 1) ** np.float32(0.7)
    shape = (1 + distance / core) ** -falloff * end
    colours = interference(distance, uniform(rng, settings.period), uniform(rng, settings.rainbow))
    light: Floats = (power * shape[:, None] * colours).astype(np.float32)
    if chance(rng, settings.broken):
        light = light * _gaps(rng)[:, None]
    weak = 0.0 if chance(rng, settings.one_sided) else uniform(rng, (0.6, 1.0))
    return np.concatenate([light, light * np.float32(weak)])


def _gaps(rng: Rng) -> Floats:
    """A factor along the line that dims some stretches of it."""
    knots = rng.random(24).astype(np.float32)
    course = np.interp(np.linspace(0, 23, STEPS), np.arange(24), knots)
    return np.clip(course * 3 - 0.7, 0.1, 1).astype(np.float32)
