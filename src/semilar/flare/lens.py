"""One lens, shared by all sources of a picture: everything it does to their light."""

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from PIL import Image

from semilar.flare import ghosts, radial, shimmer, smear, streaks
from semilar.flare.bank import draw_flare
from semilar.flare.draws import Rng, chance, log_uniform
from semilar.flare.frame import Frame
from semilar.flare.lights import Light
from semilar.flare.sample import Floats
from semilar.flare.settings import LensSettings

COARSE = 2
"""Glow is drawn on a grid this many times coarser than the picture."""
STRONG_SOURCES = 2
"""Only this many sources, the strongest, show ghosts."""


@runtime_checkable
class DrawsItself(Protocol):
    """Settings of a flare that draw it themselves: a field of `LensSettings` is all it needs."""

    probability: float

    def draw(self, rng: Rng, angle: Floats, distance: Floats) -> Floats:
        """*Linear* light (H, W, 3) around a source of unit flux.

        `angle` (H, W) is in full turns, `distance` in short sides.
        """
        ...


@dataclass(frozen=True)
class Lens:
    """What was drawn for one picture."""

    sprite: Floats
    """Glow, halo, veil, smears and shimmer of a source of unit flux, coarse grid, its centre in the
    middle."""
    wave: Floats | None
    """Scattering by wave optics of such a source, fine grid, centre in the middle."""
    lines: list[streaks.Line]
    ghosts: list[ghosts.Ghost]
    strength: float


def draw_lens(rng: Rng, frame: Frame, settings: LensSettings) -> Lens:
    """Draw all that the sources will share."""
    has = settings
    strength = log_uniform(rng, has.strength)
    if has.extreme and chance(rng, has.extreme):
        strength *= log_uniform(rng, has.extremes)
    lines = []
    if chance(rng, has.streak.probability):
        lines = streaks.draw_lines(rng, frame, has.streak)
    reflections = []
    if chance(rng, has.ghost.probability):
        reflections = ghosts.draw_ghosts(rng, frame, has.ghost)
    wave = None
    if chance(rng, has.wave.probability):
        wave = draw_flare(rng, frame.side, has.wave)
    return Lens(_draw_sprite(rng, frame, settings), wave, lines, reflections, strength)


def cast(lens: Lens, lights: list[Light], frame: Frame) -> tuple[Floats, Floats]:
    """Glare and streaks of all `lights`, each (H, W, 3), *linear* light."""
    glare = np.zeros((*frame.size, 3), np.float32)
    streak = np.zeros((*frame.size, 3), np.float32)
    strength = np.float32(lens.strength)
    coarse = np.zeros((*_coarse_size(frame), 3), np.float32)
    for light in lights:
        power = light.power(frame.side) * strength
        _add_sprite(coarse, lens.sprite, light.x / COARSE, light.y / COARSE, power)
        if lens.wave is not None:
            _add_sprite(glare, lens.wave, light.x, light.y, power)
        lit = replace(light, radiance=light.radiance * strength)
        for line in lens.lines:
            streaks.add_line(streak, line, lit, frame)
    by_power = sorted(lights, key=lambda light: float(light.power(1).max()), reverse=True)
    for light in by_power[:STRONG_SOURCES]:
        for ghost in lens.ghosts:
            ghosts.add_ghost(glare, ghost, light, frame, lens.strength)
    _enlarge_into(coarse, glare)
    return glare, streak


def _draw_sprite(rng: Rng, frame: Frame, settings: LensSettings) -> Floats:
    rows, columns = _coarse_size(frame)
    unit = np.float32(COARSE / frame.side)
    dx = (np.arange(2 * columns + 1, dtype=np.float32) - columns)[None, :] * unit
    dy = (np.arange(2 * rows + 1, dtype=np.float32) - rows)[:, None] * unit
    distance = np.sqrt(dx * dx + dy * dy)
    angle = np.arctan2(dy, dx) * np.float32(1 / (2 * np.pi))
    profile = np.zeros((radial.STEPS, 3), np.float32)
    if chance(rng, settings.glow.probability):
        profile += radial.glow_profile(rng, settings.glow)
    if chance(rng, settings.halo.probability):
        profile += radial.halo_profile(rng, settings.halo)
    sprite = profile[radial.index_of(distance)]
    if chance(rng, settings.shimmer.probability):
        table = shimmer.ray_table(rng, settings.shimmer)
        sprite += shimmer.shimmer(table, angle, distance)[..., None]
    if chance(rng, settings.veil.probability):
        sprite += radial.veil(rng, settings.veil, angle, distance)[..., None]
    if chance(rng, settings.smear.probability):
        for wipe in smear.draw_wipes(rng, settings.smear):
            sprite += smear.smear(wipe, angle, distance)
    for kind in vars(settings).values():
        # No draw where it is 0: samples of settings without it stay what they were.
        if isinstance(kind, DrawsItself) and kind.probability and chance(rng, kind.probability):
            sprite += kind.draw(rng, angle, distance)
    return sprite


def _add_sprite(canvas: Floats, sprite: Floats, x: float, y: float, gain: Floats) -> None:
    """Add the part of the sprite that falls into the picture, its middle on (x, y)."""
    top, left = round(y) - sprite.shape[0] // 2, round(x) - sprite.shape[1] // 2
    y0, x0 = max(top, 0), max(left, 0)
    y1 = min(top + sprite.shape[0], canvas.shape[0])
    x1 = min(left + sprite.shape[1], canvas.shape[1])
    if y0 < y1 and x0 < x1:
        canvas[y0:y1, x0:x1] += sprite[y0 - top : y1 - top, x0 - left : x1 - left] * gain


def _coarse_size(frame: Frame) -> tuple[int, int]:
    """Rows and columns of the coarse grid, with one to spare at the far borders."""
    return frame.height // COARSE + 2, frame.width // COARSE + 2


def _enlarge_into(coarse: Floats, canvas: Floats) -> None:
    """Add the coarse grid, smoothly enlarged, to the full one.

    The middle of coarse cell i is the middle of fine pixel i * COARSE.
    """
    height, width = canvas.shape[:2]
    start = 0.5 - 0.5 / COARSE
    box = (start, start, width / COARSE + start, height / COARSE + start)
    for channel in range(3):
        plane = Image.fromarray(np.ascontiguousarray(coarse[..., channel]))
        large = plane.resize((width, height), Image.Resampling.BILINEAR, box=box)
        canvas[..., channel] += np.asarray(large)
