"""A bank of wave-optics point-spread functions: made once, kept on disk, reused for ever.

A picture takes one of them with a random rotation, scale and colour, so that a small bank lasts.
"""

import contextlib
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from semilar.files import atomic_path
from semilar.flare.draws import Rng, log_uniform, uniform
from semilar.flare.pupil import draw_pupil
from semilar.flare.sample import Floats
from semilar.flare.settings import WaveSettings
from semilar.flare.wave import colour_point_spread
from semilar.weights import home

SIZE = 256
FILL = 0.5
CORE = 3.0
"""Pixels around the centre that are the image itself rather than flare."""
RING = (0.08, 0.16)
"""Half-widths between which the mean light is made 1, so that entries are alike in strength."""
EDITION = 1
"""Raise when entries change, so that banks on disk are made anew."""


def bank_file(count: int) -> Path:
    """Where a bank of that many entries is kept (see `SEMILAR_HOME`)."""
    return home() / "flare" / f"psf-{EDITION}-{count}.npy"


@lru_cache(maxsize=2)
def psf_bank(count: int) -> Floats:
    """`count` flares of a white point, (count, 3, N, N), *linear* light, read-only."""
    path = bank_file(count)
    with contextlib.suppress(OSError, ValueError):
        bank = np.load(path, allow_pickle=False)
        if bank.shape == (count, 3, SIZE, SIZE):
            bank.setflags(write=False)
            return bank
    bank = np.stack([make_entry(number) for number in range(count)])
    with contextlib.suppress(OSError), atomic_path(path) as temporary:  # read-only disks do too
        np.save(temporary, bank)
    bank.setflags(write=False)
    return bank


def draw_flare(rng: Rng, side: float, settings: WaveSettings) -> Floats:
    """An entry turned, scaled and tinted, (2R + 1, 2R + 1, 3), for a photograph of that side."""
    bank = psf_bank(settings.bank)
    entry = bank[rng.integers(len(bank))]
    radius = max(round(log_uniform(rng, settings.radius) * side), 2)
    size = 2 * radius + 1
    step, angle = SIZE / size, uniform(rng, (0, 2 * np.pi))
    c, s = step * np.cos(angle), step * np.sin(angle)
    middle, centre = SIZE // 2 + 0.5, size / 2
    matrix = (c, -s, middle - (c - s) * centre, s, c, middle - (s + c) * centre)
    tint = 1 + rng.uniform(-settings.tint, settings.tint, 3)
    power = log_uniform(rng, settings.height) * tint
    flare = np.empty((size, size, 3), np.float32)
    for channel, plane in enumerate(entry):
        turned = Image.fromarray(plane).transform(
            (size, size), Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR
        )
        flare[..., channel] = np.asarray(turned)
    flare *= power.astype(np.float32)
    return flare


def make_entry(number: int) -> Floats:
    """One entry, (3, N, N): without the image of the point itself, faded towards the border."""
    pupil = draw_pupil(np.random.default_rng([EDITION, number]), SIZE, FILL)
    spread = colour_point_spread(pupil)
    line = np.arange(SIZE, dtype=np.float32) - SIZE // 2
    radius = np.sqrt(line[None, :] ** 2 + line[:, None] ** 2)
    half = SIZE / 2
    ring = (radius > RING[0] * half) & (radius < RING[1] * half)
    fade = np.clip(1 - (radius / np.float32(half)) ** 2, 0, 1) ** 2
    spread *= (fade / np.float32(max(float(spread[ring].mean()), 1e-12)))[..., None]
    ceiling = spread[(radius > CORE) & (radius < 2 * CORE)].max(axis=0)
    np.minimum(spread, ceiling, out=spread)
    return np.ascontiguousarray(spread.transpose(2, 0, 1))
