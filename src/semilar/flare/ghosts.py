"""Reflective flares: ghosts of the iris on the line through the optical centre."""

from dataclasses import dataclass

import numpy as np

from semilar.flare.draws import Rng, chance, integer, log_uniform, uniform
from semilar.flare.frame import Frame
from semilar.flare.lights import Light
from semilar.flare.sample import Floats
from semilar.flare.settings import GhostSettings


@dataclass(frozen=True)
class Ghost:
    """One reflection; lengths in pixels."""

    place: float
    """Position on the line: 1 is the source, 0 the optical centre, -1 the point opposite."""
    radius: float
    colour: Floats
    rim: float
    normals: Floats
    """Outward normals of the iris blades, (blades, 2)."""
    bite: float
    """How far the disc that leaves only a crescent is shifted; 0 leaves the ghost whole."""


def draw_ghosts(rng: Rng, frame: Frame, settings: GhostSettings) -> list[Ghost]:
    """The reflections that this lens shows of every strong source."""
    blades = integer(rng, settings.blades)
    turn = uniform(rng, (0, 2 * np.pi))
    corners = turn + np.arange(blades) * (2 * np.pi / blades)
    normals = np.stack([np.cos(corners), np.sin(corners)], axis=1).astype(np.float32)
    ghosts = []
    for _ in range(integer(rng, settings.count)):
        tint = rng.uniform(0.3, 1.0, 3).astype(np.float32)
        colour = tint / tint.max() * np.float32(log_uniform(rng, settings.height))
        bite = uniform(rng, (0.15, 0.6)) if chance(rng, settings.arc) else 0.0
        place = uniform(rng, (-1.3, 0.7))
        radius = log_uniform(rng, settings.radius) * frame.side
        ghosts.append(Ghost(place, radius, colour, uniform(rng, settings.rim), normals, bite))
    return ghosts


def add_ghost(canvas: Floats, ghost: Ghost, light: Light, frame: Frame, strength: float) -> None:
    """Add one source's reflection to `canvas` (H, W, 3), *linear* light."""
    sx, sy = light.x - frame.centre[0], light.y - frame.centre[1]
    x, y = frame.centre[0] + ghost.place * sx, frame.centre[1] + ghost.place * sy
    reach = ghost.radius * 1.3 + 2
    x0, x1 = max(int(x - reach), 0), min(int(x + reach) + 1, frame.width)
    y0, y1 = max(int(y - reach), 0), min(int(y + reach) + 1, frame.height)
    if x0 >= x1 or y0 >= y1:
        return
    dx = np.arange(x0, x1, dtype=np.float32)[None, :] - np.float32(x)
    dy = np.arange(y0, y1, dtype=np.float32)[:, None] - np.float32(y)
    edge = _iris_distance(ghost.normals, dx, dy) / np.float32(ghost.radius)
    keep = np.ones_like(edge)
    if ghost.bite:
        norm = max((sx * sx + sy * sy) ** 0.5, 1e-6)
        shift = np.float32(ghost.bite * ghost.radius / norm)
        inner = _iris_distance(ghost.normals, dx - shift * sx, dy - shift * sy)
        keep = np.clip((inner / np.float32(ghost.radius) - 0.85) * 4, 0, 1)
    power = light.power(frame.side) * np.float32(strength)
    window = canvas[y0:y1, x0:x1]
    softness = np.float32(max(6.0, ghost.radius / 3))
    for channel, scale in enumerate((1.02, 1.0, 0.98)):  # the rim's colours part a little
        t = edge * np.float32(scale)
        inside = np.clip((1 - t) * softness, 0, 1)
        bright = 1 + np.float32(ghost.rim) * np.clip(t, 0, 1) ** 12
        shade = inside * bright * keep
        window[..., channel] += shade * (ghost.colour[channel] * power[channel])


def _iris_distance(normals: Floats, dx: Floats, dy: Floats) -> Floats:
    """Distance from the centre measured so that the iris's sides lie at 1 (rounded a little)."""
    flat = np.max([a * dx + b * dy for a, b in normals], axis=0)
    return 0.6 * flat + 0.4 * np.sqrt(dx * dx + dy * dy)
