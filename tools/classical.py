"""The classical things a person would try against flare, to compare the model with.

    python tools/classical.py METHOD --input DIR --out DIR
    semilar evaluate --input OUT --gt GT

METHOD is `inpaint` (bright parts that are not lamps are masked and filled in), `dehaze` (dark
channel prior, He et al. 2009, guided filter) or `homomorphic` (the slow part of the logarithm
is damped). All take and give encoded light; `dehaze` works in linear light.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.progress import track
from scipy import ndimage
from skimage.restoration import inpaint_biharmonic
from skimage.transform import resize

from semilar import photo
from semilar.photo import linear_to_srgb, srgb_to_linear

Picture = np.ndarray  # (H, W, 3) float, encoded light, 0 to 1


def inpaint(picture: Picture) -> Picture:
    """Mask what is bright but not clipped around clipped lamps, fill it from its surroundings."""
    scale = min(1.0, 192 / min(picture.shape[:2]))
    small_size = tuple(round(side * scale) for side in picture.shape[:2])
    small = np.asarray(resize(picture, small_size, anti_aliasing=True))
    luma = small.mean(axis=2)
    lamp = luma > 0.97
    near = ndimage.binary_dilation(lamp, iterations=max(2, min(small_size) // 12))
    mask = near & ~lamp & (luma > np.median(luma) + 0.25)
    if not mask.any():
        return picture
    filled = inpaint_biharmonic(small, mask, channel_axis=2)
    change = resize(filled - small, picture.shape[:2], order=1)
    return np.clip(picture + change, 0, 1)


def dehaze(picture: Picture, *, omega: float = 0.8, patch: int = 15, floor: float = 0.2) -> Picture:
    """Dark channel prior: J = (I - A) / t + A with t = 1 - omega * dark(I / A)."""
    linear = srgb_to_linear(picture).astype(np.float64)
    dark = ndimage.minimum_filter(linear.min(axis=2), patch)
    brightest = dark >= np.quantile(dark, 0.999)
    air = np.maximum(linear[brightest].mean(axis=0), 1e-3)
    rough = 1 - omega * ndimage.minimum_filter((linear / air).min(axis=2), patch)
    smooth = guided_filter(linear.mean(axis=2), rough, radius=30, epsilon=1e-3)
    clear = (linear - air) / np.maximum(smooth, floor)[:, :, None] + air
    return linear_to_srgb(np.clip(clear, 0, 1))


def guided_filter(
    guide: np.ndarray, values: np.ndarray, *, radius: int, epsilon: float
) -> np.ndarray:
    """He et al. 2010: `values` smoothed, keeping the edges of `guide`."""

    def mean(x: np.ndarray) -> np.ndarray:
        return ndimage.uniform_filter(x, 2 * radius + 1, mode="reflect")

    m_guide, m_values = mean(guide), mean(values)
    slope = (mean(guide * values) - m_guide * m_values) / (mean(guide**2) - m_guide**2 + epsilon)
    return mean(slope) * guide + mean(m_values - slope * m_guide)


def homomorphic(picture: Picture, *, low: float = 0.8, high: float = 1.0) -> Picture:
    """Damp the slowly varying part of the logarithm of the light, keep the fast one."""
    logarithm = np.log(srgb_to_linear(picture).astype(np.float64) + 1e-3)
    sigma = min(picture.shape[:2]) / 12
    slow = ndimage.gaussian_filter(logarithm, (sigma, sigma, 0))
    level = slow.mean(axis=(0, 1))
    result = np.exp(level + low * (slow - level) + high * (logarithm - slow)) - 1e-3
    return linear_to_srgb(np.clip(result, 0, 1))


METHODS: dict[str, Callable[[Picture], Picture]] = {
    "inpaint": inpaint,
    "dehaze": dehaze,
    "homomorphic": homomorphic,
}


def main() -> int:
    """Restore every picture of a folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("method", choices=METHODS)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    for path in track(photo.find_photos(options.input), description=options.method):
        shot = photo.read(path)
        top = 2**shot.depth - 1
        restored = METHODS[options.method](shot.pixels.astype(np.float32) / top)
        pixels = np.rint(restored * top).astype(shot.pixels.dtype)
        photo.write(shot.with_pixels(pixels), options.out / path.name, force=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
