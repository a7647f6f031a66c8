"""Filters over small neighbourhoods of a picture, (h, w, c), in NumPy alone."""

import numpy as np

from semilar.photo import Floats


def ramp(x: Floats, low: float, high: float) -> Floats:
    """0 below `low`, 1 above `high`, smooth between."""
    t = np.clip((x - np.float32(low)) / np.float32(high - low), 0, 1)
    return t * t * (3 - 2 * t)


def octave(x: Floats) -> Floats:
    """The finest detail of `x`: what a small blur takes away."""
    return x - filtered(x, (0.25, 0.5, 0.25))


def box(x: Floats, radius: int) -> Floats:
    """Mean over a square window."""
    width = 2 * radius + 1
    return filtered(x, (1 / width,) * width)


def filtered(x: Floats, kernel: tuple[float, ...]) -> Floats:
    """`x` (h, w, c) filtered with symmetric `kernel` down and across, the border repeated."""
    radius = len(kernel) // 2
    for axis in (0, 1):
        around = [(radius, radius) if one == axis else (0, 0) for one in range(x.ndim)]
        padded = np.pad(x, around, mode="edge")
        parts = [_part(padded, axis, shift, x.shape[axis]) for shift in range(len(kernel))]
        if len(set(kernel)) == 1:
            x = parts[0] + parts[1]
            for part in parts[2:]:
                x += part
            x *= np.float32(kernel[0])
            continue
        x = parts[radius] * np.float32(kernel[radius])
        for side in range(radius):
            pair = parts[side] + parts[-1 - side]
            pair *= np.float32(kernel[side])
            x += pair
    return x


def highest(x: Floats, radius: int) -> Floats:
    """The largest value of `x` (h, w, c), none below 0, in a square window around each place."""
    return highest_along(highest_along(x, radius, axis=0), radius, axis=1)


def highest_along(x: Floats, radius: int, *, axis: int) -> Floats:
    """The largest value of `x` (h, w, c), none below 0, within `radius` places down or across."""
    around = [(radius, radius) if one == axis else (0, 0) for one in range(x.ndim)]
    reach = 1  # windows of so many places have been looked at
    x = np.pad(x, around)
    while reach < 2 * radius + 1:
        step = min(reach, 2 * radius + 1 - reach)
        rest = x.shape[axis] - step
        x = np.maximum(_part(x, axis, 0, rest), _part(x, axis, step, rest))
        reach += step
    return x


def _part(x: Floats, axis: int, start: int, length: int) -> Floats:
    return x[start : start + length] if axis == 0 else x[:, start : start + length]
