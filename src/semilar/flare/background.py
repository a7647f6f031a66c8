"""The scene before light and flare: crop, flip, darken, gain, noise, all in linear light."""

from functools import lru_cache

import numpy as np
from PIL import Image

from semilar.errors import SemilarError
from semilar.flare.draws import Rng, chance, log_uniform, uniform
from semilar.flare.sample import Bytes, Floats
from semilar.flare.settings import BackgroundSettings, NightSettings

NOISE_POOL = 1 << 22
COLD = np.array([-0.5, 0.2, 0.5])
"""Logarithms of red, green and blue from warm light to cold, along the colours of lamps."""


def prepare(
    rng: Rng, background: Bytes, size: tuple[int, int], gamma: float, settings: BackgroundSettings
) -> Floats:
    """A scene (H, W, 3), *linear* light, from an *encoded* photograph of at least that size."""
    pixels = _crop(rng, background, size, settings)
    scene = np.take(power_table(gamma), pixels, mode="clip")
    if chance(rng, settings.night.probability):
        _darken(rng, scene, settings.night)
    gain = np.float32(uniform(rng, settings.gain))
    chi2 = settings.noise * float(rng.chisquare(1))
    sigma = np.float32(chi2**0.5 if settings.noise_law == "variance" else chi2)
    if sigma > 0:
        scene += noise(rng, scene.size).reshape(scene.shape) * sigma
    scene *= gain
    return np.clip(scene, 0, 1, out=scene)


@lru_cache(maxsize=1)
def _noise_pool() -> Floats:
    pool = np.random.default_rng(0).standard_normal(NOISE_POOL, np.float32)
    pool.setflags(write=False)
    return pool


def noise(rng: Rng, count: int) -> Floats:
    """Normal noise cut from a long fixed sequence: drawing it afresh takes most of a sample."""
    pool = _noise_pool()
    if count >= pool.size:
        return rng.standard_normal(count, np.float32)
    start = int(rng.integers(0, pool.size - count))
    return pool[start : start + count]


def draw_cast(rng: Rng, settings: BackgroundSettings) -> Floats:
    """Factors (3,) of the colour channels, with a mean of 1: the camera's white balance errs."""
    logarithms = rng.normal(0, 1, 3) * settings.cast
    if settings.temperature:
        logarithms += COLD * float(rng.laplace(0, settings.temperature))
    factors = np.exp(logarithms)
    return (factors / factors.mean()).astype(np.float32)


def warmth(stops: float) -> Floats:
    """Factors (3,) of the colour channels that take blue down by so many stops against red."""
    factors = np.exp2(-stops * COLD)
    return (factors / factors.mean()).astype(np.float32)


def power_table(gamma: float) -> Floats:
    """Linear light of the 256 encoded codes under a plain power."""
    return ((np.arange(256) / 255) ** gamma).astype(np.float32)


def _crop(
    rng: Rng, background: Bytes, size: tuple[int, int], settings: BackgroundSettings
) -> Bytes:
    height, width = size
    have_height, have_width = background.shape[:2]
    if have_height < height or have_width < width:
        raise SemilarError(
            f"A background of {have_width} x {have_height} pixels is smaller than "
            f"the crop of {width} x {height}."
        )
    largest = min(have_height / height, have_width / width)
    times = 1 + (largest - 1) * uniform(rng, settings.zoom)
    rows, columns = min(int(height * times), have_height), min(int(width * times), have_width)
    top = int(rng.integers(0, have_height - rows + 1))
    left = int(rng.integers(0, have_width - columns + 1))
    part = background[top : top + rows, left : left + columns]
    if (rows, columns) != (height, width):
        picture = Image.fromarray(np.ascontiguousarray(part))
        part = np.asarray(picture.resize((width, height), Image.Resampling.BILINEAR))
    if settings.flip and chance(rng, 0.5):
        part = part[:, ::-1]
    return part


def _darken(rng: Rng, scene: Floats, settings: NightSettings) -> None:
    """Make a bright scene a dark one, in place; a dark one stays as it is."""
    mean = float(scene.mean())
    wanted = log_uniform(rng, settings.exposure)
    if mean <= wanted:
        return
    power = np.float32(uniform(rng, settings.contrast))
    if power != 1:
        np.power(scene, power, out=scene)
    tint = 1 + rng.uniform(-settings.tint, settings.tint, 3).astype(np.float32)
    scene *= tint * np.float32(wanted / max(float(scene.mean()), 1e-6))
