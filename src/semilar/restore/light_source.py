"""Light sources put back into a scene, by the rules that published systems have for it.

Their networks take the lamp away with its flare; then the photo's own lamp is blended back in. A
model's card asks for a rule by name (`"light_source": "flare7k"`); everything here is NumPy, at the
size at which the network sees the photo.

`wu` (Wu et al., ICCV 2021) and `flare7k` differ in two numbers:

1. Pixels whose channels' mean exceeds a threshold are light.
2. Specks are opened away, with a disk whose radius is half a percent of the long side.
3. What is left is blurred by a disk whose width is a multiple of the largest light's (as a circle
   of equal area) and multiplied by three, up to one: the mask by which the photo replaces the
   scene.

`zhou` (Zhou et al., ICCV 2023) has no threshold: the mask is the 15th power of the brightness,
stretched to 0..1, so that every lamp of several is recovered, and dim ones too.
"""

from collections.abc import Callable
from functools import partial
from math import ceil, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from semilar.errors import ModelError
from semilar.photo import Floats

Bools = NDArray[np.bool_]

_EPSILON = 1e-7  # a disk two pixels wide has no pixel inside: this makes it a square


def keep_light_source(picture: Floats, scene: Floats, rule: str = "flare7k") -> Floats:
    """`scene` with the lamps of `picture`, both *encoded* (h, w, 3); `rule` is one of `RULES`."""
    if rule not in RULES:
        raise ModelError(f"{rule}: no such rule for light sources; there are {', '.join(RULES)}.")
    mask = RULES[rule](picture)
    if not mask.any():
        return scene
    share = mask[:, :, None]
    return (picture * share + scene * (1 - share)).astype(np.float32)


def light_mask(picture: Floats, *, threshold: float = 0.95, reach: float = 0.5) -> Floats:
    """How much of each pixel is light source, 0 to 1, in an *encoded* picture (h, w, 3)."""
    light = picture.mean(axis=2) > threshold
    light = opened(light, ceil(0.5 * 0.01 * max(light.shape)))
    diameter = sqrt(4 * largest_area(light) / pi)
    width = round(reach * diameter)
    if width < 1:
        return np.zeros(light.shape, np.float32)
    mask = np.clip(3 * disk_blur(light.astype(np.float32), width), 0, 1)
    mask[mask < 1e-6] = 0  # what is left of rounding
    return mask


def soft_mask(picture: Floats, *, power: int = 15) -> Floats:
    """The brightness of an *encoded* picture (h, w, 3), stretched to 0..1, to a high power."""
    bright = picture.mean(axis=2)
    bright = bright - bright.min()
    most = float(bright.max())
    return (bright / most) ** power if most > 0 else bright


RULES: dict[str, Callable[[Floats], Floats]] = {
    "flare7k": light_mask,
    "wu": partial(light_mask, threshold=0.99, reach=1.5),
    "zhou": soft_mask,
}


def opened(mask: Bools, radius: int) -> Bools:
    """Erosion, then dilation, by a disk; beyond the border there is light for the erosion."""
    return _dilated(~_dilated(~mask, radius), radius)


def _dilated(mask: Bools, radius: int) -> Bools:
    """Every pixel within `radius` of a true one; nothing is true beyond the border."""
    height, width = mask.shape
    out = np.zeros_like(mask)
    for down in range(-radius, radius + 1):
        reach = int(sqrt(radius * radius - down * down))
        sums = np.zeros((height, width + 2 * reach + 1), np.int32)
        padded = np.pad(mask, ((0, 0), (reach, reach)))
        np.cumsum(padded, axis=1, out=sums[:, 1:])
        wide = sums[:, 2 * reach + 1 :] > sums[:, :width]
        rows = slice(max(0, down), height + min(0, down))
        source = slice(max(0, -down), height - max(0, down))
        out[rows] |= wide[source]
    return out


def largest_area(mask: Bools) -> int:
    """Pixels of the largest connected region, corners included."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    parent: list[int] = []
    area: list[int] = []

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    above: list[tuple[int, int, int]] = []  # start, stop and number of the runs in the last row
    for row in edges:
        runs = []
        for start, stop in zip(np.flatnonzero(row > 0), np.flatnonzero(row < 0), strict=True):
            number = len(parent)
            parent.append(number)
            area.append(int(stop - start))
            for begin, end, other in above:
                if begin <= stop and start <= end:
                    one, two = root(number), root(other)
                    if one != two:
                        parent[one] = two
                        area[two] += area[one]
            runs.append((int(start), int(stop), number))
        above = runs
    return max((area[run] for run in range(len(parent)) if parent[run] == run), default=0)


def disk_blur(mask: Floats, width: int) -> Floats:
    """Mean over a disk `width` pixels wide, borders mirrored (without repeating the last row)."""
    offset = np.arange(width) - (width - 1) / 2
    disk = (np.hypot(offset[:, None], offset) <= offset.max()) + _EPSILON
    before, after = width // 2, width - 1 - width // 2
    padded = np.pad(mask, (before, after), mode="reflect")
    size = padded.shape
    spectrum = np.fft.rfft2(padded) * np.fft.rfft2(disk[::-1, ::-1], size)
    height, across = mask.shape
    blurred = np.fft.irfft2(spectrum, size)[width - 1 :, width - 1 :]
    return (blurred[:height, :across] / disk.sum()).astype(np.float32)
