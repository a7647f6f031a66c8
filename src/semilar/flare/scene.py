"""A night scene out of nothing: sky, skyline with lit windows, lamps, a wet street.

For demos, tests and installations without any photograph. All of it is drawn in linear light.
"""

import numpy as np
from PIL import Image

from semilar.flare.compose import encode, encode_table
from semilar.flare.draws import Rng, chance, integer, uniform
from semilar.flare.lights import LAMP_COLOURS, Glow, Light, paint
from semilar.flare.sample import Bytes, Floats

GAMMA = 2.2


def night_scene(seed: int, size: tuple[int, int]) -> Bytes:
    """A picture of (height, width) `size`, *encoded* uint8; the same seed gives the same one."""
    rng = np.random.default_rng(seed)
    height, width = size
    horizon = int(height * uniform(rng, (0.55, 0.72)))
    scene = np.empty((height, width, 3), np.float32)
    scene[:horizon] = _sky(rng, horizon, width)
    _skyline(rng, scene, horizon, depth=0.35)
    _skyline(rng, scene, horizon, depth=1.0)
    _street(rng, scene, horizon)
    _lamps(rng, scene, horizon)
    scene += rng.standard_normal(scene.shape, np.float32) * (0.004 + 0.02 * np.sqrt(scene))
    np.clip(scene, 0, 1, out=scene)
    return (encode(scene, encode_table(GAMMA)) * 255 + 0.5).astype(np.uint8)


def clouds(rng: Rng, size: tuple[int, int], cells: int = 3, octaves: int = 5) -> Floats:
    """Smooth noise in [0, 1], (H, W): octaves of enlarged random grids."""
    height, width = size
    total = np.zeros(size, np.float32)
    for octave in range(octaves):
        n = cells * 2**octave
        grid = Image.fromarray(rng.random((n, n), np.float32))
        layer = grid.resize((width, height), Image.Resampling.BICUBIC)
        total += np.asarray(layer) * np.float32(0.5**octave)
    low, high = float(total.min()), float(total.max())
    return (total - np.float32(low)) / np.float32(max(high - low, 1e-6))


def _sky(rng: Rng, height: int, width: int) -> Floats:
    """Dark blue above, the town's glow above the horizon, clouds lit from below."""
    night = np.array([0.006, 0.010, 0.022], np.float32) * np.float32(uniform(rng, (0.4, 1.6)))
    town = np.array([0.075, 0.042, 0.030], np.float32) * np.float32(uniform(rng, (0.2, 1.2)))
    down = np.linspace(0, 1, height, dtype=np.float32)[:, None, None] ** 2.5
    cover = clouds(rng, (height, width))[..., None] * np.float32(uniform(rng, (0.2, 0.9)))
    sky = (night + down * town) * (1 - cover * np.float32(0.5)) + cover * down * town
    return sky.astype(np.float32, copy=False)


def _skyline(rng: Rng, scene: Floats, horizon: int, *, depth: float) -> None:
    """A row of houses, fainter and smaller where `depth` is small."""
    height, width = scene.shape[:2]
    left = -integer(rng, (0, width // 10))
    while left < width:
        wide = max(int(width * uniform(rng, (0.08, 0.2)) * (0.6 + 0.4 * depth)), 8)
        tall = int(horizon * uniform(rng, (0.15, 0.75)) * (1.15 - 0.4 * depth))
        if chance(rng, 0.88):
            _house(rng, scene, (left, horizon - tall, left + wide, horizon), depth, height)
        left += wide + integer(rng, (0, max(wide // 4, 1)))


def _house(
    rng: Rng, scene: Floats, box: tuple[int, int, int, int], depth: float, height: int
) -> None:
    left, top, right, bottom = max(box[0], 0), max(box[1], 0), min(box[2], scene.shape[1]), box[3]
    if right - left < 4:
        return
    wall = np.float32(uniform(rng, (0.004, 0.03))) * (1.6 - depth)
    colour = wall * np.array([1.0, 0.82, 0.7], np.float32) * rng.uniform(0.8, 1.2, 3)
    texture = clouds(rng, (bottom - top, right - left), octaves=4)[..., None]
    scene[top:bottom, left:right] = colour.astype(np.float32) * (0.6 + 0.8 * texture)
    scene[top:bottom, right - max((right - left) // 12, 1) : right] *= 0.5
    cell = max(int(height * uniform(rng, (0.018, 0.04)) * (0.5 + 0.5 * depth)), 4)
    lit = uniform(rng, (0.08, 0.55))
    lamp = LAMP_COLOURS[rng.integers(len(LAMP_COLOURS))]
    for y in range(top + cell // 2, bottom - cell, cell):
        for x in range(left + cell // 2, right - cell, cell):
            power = uniform(rng, (0.1, 0.9)) ** 1.5 if chance(rng, lit) else 0.004
            pane = lamp * np.float32(power * (0.6 + 0.4 * depth))
            shade = np.linspace(0.7, 1.1, max(cell * 2 // 3, 1), dtype=np.float32)[:, None, None]
            scene[y : y + len(shade), x : x + max(cell // 2, 1)] = pane * shade


def _street(rng: Rng, scene: Floats, horizon: int) -> None:
    """Ground with texture in perspective that mirrors the town, as wet asphalt does."""
    height = scene.shape[0]
    rows = height - horizon
    grain = clouds(rng, (rows, scene.shape[1]), cells=6, octaves=6)[..., None]
    ground = np.float32(uniform(rng, (0.008, 0.03))) * (0.4 + 1.2 * grain)
    mirror = scene[max(horizon - rows, 0) : horizon][::-1]
    streaky = np.asarray(
        Image.fromarray((mirror[..., 1] * 255).clip(0, 255).astype(np.uint8))
        .resize((scene.shape[1], max(rows // 12, 1)))
        .resize((scene.shape[1], rows), Image.Resampling.BICUBIC),
        np.float32,
    )
    warm = np.array([1.0, 0.85, 0.65], np.float32)
    fade = np.linspace(1, 0.3, rows, dtype=np.float32)[:, None, None]
    wet = uniform(rng, (0.1, 0.5))
    scene[horizon:] = (ground + (streaky / 255)[..., None] * np.float32(wet) * fade) * warm
    lines = int(rows * 0.55)
    scene[horizon + lines : horizon + lines + max(rows // 40, 1)] += np.float32(0.05)


def _lamps(rng: Rng, scene: Floats, horizon: int) -> None:
    """Street lamps on posts along the street, smaller with distance, with pools of light."""
    height, width = scene.shape[:2]
    colour = LAMP_COLOURS[rng.integers(len(LAMP_COLOURS))]
    vanishing = width * uniform(rng, (0.2, 0.8))
    side = width * (1.05 if vanishing < width / 2 else -0.05)
    for near in np.linspace(0.2, 0.95, integer(rng, (2, 6))):
        x = vanishing + (side - vanishing) * near * uniform(rng, (0.9, 1.0))
        foot = horizon + (height - horizon) * near * 0.5
        top = foot - height * 0.55 * near
        post = slice(max(int(top), 0), min(int(foot), height))
        thick = max(int(width * 0.006 * near), 1)
        if 0 <= int(x) < width - thick:
            scene[post, int(x) : int(x) + thick] = np.float32(0.01)
        radius = max(height * 0.012 * near, 0.8)
        paint(scene, Light(x, top, radius, colour * np.float32(4)), Glow(0.35, 8.0))
        _pool(scene, x, foot, 0.12 * height * near, colour)


def _pool(scene: Floats, x: float, y: float, reach: float, colour: Floats) -> None:
    """Light that a lamp throws on the ground below it."""
    dx = (np.arange(scene.shape[1], dtype=np.float32)[None, :] - np.float32(x)) / (2.5 * reach)
    dy = (np.arange(scene.shape[0], dtype=np.float32)[:, None] - np.float32(y)) / (0.7 * reach)
    scene += (np.float32(0.12) * np.exp(-dx * dx - dy * dy))[..., None] * colour
