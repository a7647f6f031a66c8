"""Smears: what grease wiped over the glass does to light.

A wipe leaves ridges that run along it, of all widths and never quite parallel. Across the wipe they
are a phase grating with a broad spectrum: light is thrown to both sides of the source, in a fan as
wide as the ridges' directions differ. So the flare is a function of the angle (a bow tie, split
into fine rays where single ridges stand out) times a fall-off with distance, on a scale
proportional to the wavelength.
"""

from dataclasses import dataclass

import numpy as np

from semilar.flare.draws import Rng, chance, log_uniform, uniform
from semilar.flare.sample import Floats
from semilar.flare.settings import SmearSettings

ANGLES = 4096
"""Steps of a full turn."""
WAVELENGTHS = np.array([610.0, 540.0, 460.0], np.float32) / 540
FINEST = 0.4
"""Half-width of the finest rays, in degrees."""


@dataclass(frozen=True)
class Wipe:
    """One direction of wiping, as a source of unit flux shows it."""

    strength: Floats
    """Light for every angle, (ANGLES,)."""
    core: float
    falloff: float
    length: float
    bend: float
    """Turn over one short side, the same way on both sides of the source."""
    colour: Floats
    scale: Floats
    """How far each channel is thrown, (3,)."""


def draw_wipes(rng: Rng, settings: SmearSettings) -> list[Wipe]:
    """The wipes of one lens, at random angles to each other."""
    count = 1 + int(rng.choice(len(settings.wipes), p=settings.wipes))
    height = log_uniform(rng, settings.height)
    return [_draw_wipe(rng, settings, height * uniform(rng, (0.4, 1.0))) for _ in range(count)]


def _draw_wipe(rng: Rng, settings: SmearSettings, height: float) -> Wipe:
    cool = uniform(rng, (-settings.tint, settings.tint))
    dispersion = np.float32(uniform(rng, settings.dispersion) / 0.3)
    scale = WAVELENGTHS**dispersion
    return Wipe(
        strength=_fan(rng, settings) * np.float32(height),
        core=log_uniform(rng, settings.core),
        falloff=uniform(rng, settings.falloff),
        length=log_uniform(rng, settings.length),
        bend=uniform(rng, (-settings.bend, settings.bend)),
        colour=np.array([1 - cool, 1, 1 + cool], np.float32),
        scale=scale.astype(np.float32),
    )


def _fan(rng: Rng, settings: SmearSettings) -> Floats:
    """Light for every angle: two opposite lobes of rays, each its own mixture of ridges."""
    spread = log_uniform(rng, settings.spread)
    turn = np.arange(ANGLES) * (360 / ANGLES)
    middle = uniform(rng, (0, 360))
    contrast, foot = uniform(rng, settings.fibres), uniform(rng, settings.foot)
    sharp = uniform(rng, (1.2, 3.0))
    weak = 0.0 if chance(rng, settings.one_sided) else uniform(rng, (0.5, 1.0))
    total = np.zeros(ANGLES)
    for side, power in ((middle, 1.0), (middle + 180, weak)):
        off = np.abs((turn - side + 180) % 360 - 180)
        lobe = np.exp(-((off / spread) ** sharp)) + foot * np.exp(-((off / (3 * spread)) ** 2))
        total += power * lobe
    rays = _rays(rng, max(FINEST, spread / 12))
    return (total * (1 - contrast + contrast * rays)).astype(np.float32)


def _rays(rng: Rng, width: float) -> Floats:
    """Random light over the angle, never negative, with a mean of 1 and details that wide (deg)."""
    spectrum = np.fft.rfft(rng.standard_normal(ANGLES))
    spectrum *= np.exp(-0.5 * (np.arange(spectrum.size) * np.deg2rad(width)) ** 2)
    rough = np.fft.irfft(spectrum, ANGLES)
    light = np.exp(rough / max(float(rough.std()), 1e-9))
    return light / light.mean()


def smear(wipe: Wipe, angle: Floats, distance: Floats) -> Floats:
    """*Linear* light of one wipe at polar places around the source, (H, W, 3).

    `angle` is in full turns, `distance` in short sides.
    """
    course = (angle + np.float32(wipe.bend / (2 * np.pi)) * distance) * np.float32(ANGLES)
    strength = np.take(wipe.strength, course.astype(np.int32) & (ANGLES - 1))
    light = np.empty((*distance.shape, 3), np.float32)
    for channel, (scale, colour) in enumerate(zip(wipe.scale, wipe.colour, strict=True)):
        along = distance / scale
        fall = (1 + along / np.float32(wipe.core)) ** np.float32(-wipe.falloff)
        fall *= np.clip(1 - along / np.float32(wipe.length), 0, 1)
        light[..., channel] = strength * fall * colour
    return light
