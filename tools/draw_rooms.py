"""Draw lit rooms as backgrounds to train on: plain walls and ceilings, with light that falls off.

    python tools/draw_rooms.py --out DIR [--count 60] [--side 640]

Photographs with a free licence show landscapes and towns, hardly a plain wall; to a network that
has seen none, the light that a lamp throws on a ceiling is a veil to take away. A room is a box in
perspective, or the part of one that a tilted camera sees: walls of one paint, tiles, a door, things
on the walls, pipes, and ceiling lamps whose light falls off with distance. All of it is drawn in
linear light and written *encoded*, as PNG files `room-000.png` and so on.
"""

import argparse
import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from rich.progress import track

from semilar.files import write_bytes
from semilar.flare.draws import Rng, chance, integer, log_uniform, uniform
from semilar.flare.lights import Glow, Light, paint
from semilar.flare.scene import clouds
from semilar.photo import Floats, linear_to_srgb, plain_png

FINER = 2  # drawn so many times larger, for smooth edges
Point = tuple[float, float]


class Room:
    """The paint of a room seen from inside, reflectance from 0 to 1, before light falls on it."""

    def __init__(self, rng: Rng, height: int, width: int) -> None:
        self._rng, self._size = rng, (width * FINER, height * FINER)
        self._image = Image.new("RGB", self._size)
        self._draw = ImageDraw.Draw(self._image)
        wide, high = self._size
        cx, cy = wide * uniform(rng, (0.1, 0.9)), high * uniform(rng, (0.15, 1.1))
        half = log_uniform(rng, (0.08, 0.45))
        self.back = (cx - half * wide, cy - half * high, cx + half * wide, cy + half * high)

    def painted(self) -> Floats:
        """(H, W, 3) reflectance."""
        left, top, right, bottom = self.back
        wide, high = self._size
        far = 3 * max(wide, high)
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        middle = ((left + right) / 2, (top + bottom) / 2)
        away = [(x + (x - middle[0]) * far, y + (y - middle[1]) * far) for x, y in corners]
        wall, ceiling, floor = self._paints()
        planes = [ceiling, wall * uniform(self._rng, (0.6, 1)), floor, wall]
        for i, paint_of in enumerate(planes):
            j = (i + 1) % 4
            self._draw.polygon([corners[i], corners[j], away[j], away[i]], fill=_code(paint_of))
        self._draw.rectangle(self.back, fill=_code(wall * uniform(self._rng, (0.7, 1))))
        if chance(self._rng, 0.5):
            self._tiles(corners[0], corners[1], away[1], away[0], ceiling)
        for _ in range(integer(self._rng, (0, 8))):
            self._thing(wall)
        for _ in range(integer(self._rng, (0, 4))):
            self._pipe(wall)
        small = self._image.resize((wide // FINER, high // FINER), Image.Resampling.BOX)
        return np.square(np.asarray(small, np.float32) / np.float32(255))

    def _paints(self) -> tuple[Floats, Floats, Floats]:
        tint = 1 + self._rng.normal(0, 0.06, 3) * (3 if chance(self._rng, 0.25) else 1)
        wall = np.float32(uniform(self._rng, (0.25, 0.85))) * tint.astype(np.float32)
        ceiling = wall * np.float32(uniform(self._rng, (0.9, 1.3)))
        floor = uniform(self._rng, (0.1, 0.6)) * (1 + self._rng.normal(0, 0.12, 3))
        return wall, ceiling, floor.astype(np.float32)

    def _tiles(self, a: Point, b: Point, c: Point, d: Point, ceiling: Floats) -> None:
        """Lines on the plane a, b, c, d, of which c and d are nearest to the camera."""
        colour = _code(ceiling * uniform(self._rng, (0.5, 0.85)))
        count = integer(self._rng, (4, 16))
        for t in np.linspace(0, 1, count):
            ends = [_between(a, b, t), _between(d, c, t)]
            self._draw.line(ends, fill=colour, width=integer(self._rng, (1, 2)) * FINER)
        for t in 1 / np.arange(1, 40):  # equal steps away from the camera
            self._draw.line([_between(a, d, t / 40), _between(b, c, t / 40)], colour, FINER)

    def _thing(self, wall: Floats) -> None:
        """A door, a poster, a window that is dark."""
        wide, high = self._size
        w, h = (
            wide * log_uniform(self._rng, (0.02, 0.3)),
            high * log_uniform(self._rng, (0.02, 0.4)),
        )
        x, y = self._rng.uniform(0, wide), self._rng.uniform(0.2 * high, high)
        hue = self._rng.uniform(0.3, 1.0, 3) if chance(self._rng, 0.5) else np.ones(3)
        colour = wall * (hue * uniform(self._rng, (0.15, 1.1))).astype(np.float32)
        self._draw.rectangle((x, y, x + w, y + h), _code(colour), _code(colour * 0.6), FINER)

    def _pipe(self, wall: Floats) -> None:
        wide, high = self._size
        ends = self._rng.uniform(-0.2, 1.2, (2, 2)) * (wide, high)
        colour = _code(wall * uniform(self._rng, (0.2, 1.2)))
        self._draw.line(
            [*map(tuple, ends)], colour, round(wide * log_uniform(self._rng, (0.003, 0.03)))
        )


def _between(a: Point, b: Point, t: float) -> Point:
    return a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t


def _code(reflectance: Floats) -> tuple[int, ...]:
    return tuple(int(v) for v in 255 * np.sqrt(np.clip(reflectance, 0, 1)))


def room(seed: int, height: int, width: int) -> NDArray[np.uint8]:
    """A lit room, *encoded*; the same seed gives the same one."""
    rng = np.random.default_rng(seed)
    large = round(math.hypot(height, width))  # enough to turn it
    picture = Image.fromarray(
        np.rint(255 * np.sqrt(Room(rng, large, large).painted())).astype("u1")
    )
    turned = picture.rotate(rng.normal(0, 12), Image.Resampling.BILINEAR)
    left, top = (large - width) // 2, (large - height) // 2
    paint_of = np.asarray(turned.crop((left, top, left + width, top + height)), np.float32) / 255
    grain = clouds(rng, (height, width), cells=8, octaves=5)[..., None]
    scene = paint_of**2 * (1 + np.float32(0.08) * (grain - 0.5))
    lamps = [
        (rng.uniform(0, width), rng.uniform(-0.1, 0.7) * height)
        for _ in range(integer(rng, (1, 3)))
    ]
    scene = scene * light_of(rng, lamps, height, width)
    for x, y in lamps if chance(rng, 0.6) else []:
        radius = height * log_uniform(rng, (0.008, 0.06))
        paint(
            scene,
            Light(x, y, radius, np.full(3, 3, np.float32)),
            Glow(uniform(rng, (0.1, 0.6)), 3.0),
        )
    scene += rng.standard_normal(scene.shape, np.float32) * np.float32(0.003)
    return np.rint(linear_to_srgb(np.clip(scene, 0, 1)) * 255).astype(np.uint8)


def light_of(rng: Rng, lamps: list[Point], height: int, width: int) -> Floats:
    """How much light falls everywhere, (H, W, 1)."""
    rows = np.arange(height, dtype=np.float32)[:, None]
    columns = np.arange(width, dtype=np.float32)[None, :]
    total = np.zeros((height, width), np.float32)
    for x, y in lamps:
        drop = height * log_uniform(rng, (0.1, 1.0))  # how far below the lamp a wall is
        squared = ((columns - x) ** 2 + (rows - y) ** 2) / drop**2
        total += np.float32(uniform(rng, (0.3, 1.0))) / (1 + squared)
    ambient = np.float32(uniform(rng, (0.1, 0.8)))
    return (np.float32(log_uniform(rng, (0.4, 1.6))) * (total + ambient))[..., None]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the pictures")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--side", type=int, default=640, help="their short side")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for i in track(range(options.count), description="rooms"):
        picture = room(i, options.side, round(options.side * 4 / 3))
        write_bytes(options.out / f"room-{i:03d}.png", plain_png(picture))


if __name__ == "__main__":
    main()
