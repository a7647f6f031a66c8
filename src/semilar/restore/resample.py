"""Shrinking and enlarging along one axis, as small matrix products.

Pillow resamples 8-bit pictures or single float planes, whole. Here the pictures are float, have
three channels and come in bands, so each axis is a `Resampler`: every output is a weighted sum of
a few neighbouring inputs. A run of outputs needs a run of inputs, hence a small dense matrix.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semilar.photo import Floats

Reals = NDArray[np.floating[Any]]

# Outputs that share one dense matrix along a row: small enough to skip most zeros.
_BLOCK = 64


@dataclass(frozen=True)
class Resampler:
    """One axis of a picture brought from `size_in` samples to `size_out`.

    `first[i]` is the first input that output `i` needs, `weights[i]` what it takes of that input
    and the ones after it; the weights of an output sum to one.
    """

    size_in: int
    size_out: int
    first: NDArray[np.intp]  # (size_out,)
    weights: Floats  # (size_out, taps)

    def matrix(self, start: int, stop: int) -> tuple[slice, Floats]:
        """The inputs that outputs `start` to `stop` need, and the (outputs, inputs) weights."""
        low = int(self.first[start])
        high = int(self.first[start:stop].max()) + self.weights.shape[1]
        dense = np.zeros((stop - start, high - low), np.float32)
        rows = np.arange(stop - start)[:, None]
        columns = self.first[start:stop, None] - low + np.arange(self.weights.shape[1])
        dense[rows, columns] = self.weights[start:stop]
        return slice(low, high), dense

    def along_last(self, planes: Floats) -> Floats:
        """Resample the last axis of `planes` (..., size_in) to (..., size_out)."""
        flat = np.ascontiguousarray(planes).reshape(-1, self.size_in)
        out = np.empty((len(flat), self.size_out), np.float32)
        for start, (inputs, dense) in zip(self._starts, self._blocks, strict=True):
            np.matmul(flat[:, inputs], dense, out=out[:, start : start + dense.shape[1]])
        return out.reshape(*planes.shape[:-1], self.size_out)

    @property
    def _starts(self) -> range:
        return range(0, self.size_out, _BLOCK)

    @cached_property
    def _blocks(self) -> list[tuple[slice, Floats]]:
        """The (inputs, outputs) matrices of a whole row, made once for all rows."""
        parts = (self.matrix(k, min(k + _BLOCK, self.size_out)) for k in self._starts)
        return [(inputs, np.ascontiguousarray(dense.T)) for inputs, dense in parts]


def area(size_in: int, size_out: int) -> Resampler:
    """Shrink: each output is the mean of the inputs under it, in exact fractions."""
    scale = size_in / size_out

    def weigh(left: Reals, position: Reals) -> Reals:
        inside = np.minimum(position + 1, left + scale) - np.maximum(position, left)
        return np.clip(inside, 0, None)

    left = np.arange(size_out) * scale
    return _resampler(size_in, size_out, left, int(np.ceil(scale)) + 1, weigh)


def cubic(size_in: int, size_out: int) -> Resampler:
    """Enlarge: Catmull-Rom through the centres of the inputs, the border repeated."""

    def weigh(centre: Reals, position: Reals) -> Reals:
        return catmull_rom(np.abs(position - centre))

    centre = (np.arange(size_out) + 0.5) * (size_in / size_out) - 0.5
    return _resampler(size_in, size_out, centre, 4, weigh, lead=1)


def catmull_rom(distance: Reals) -> Reals:
    """Weight of a sample at this distance (>= 0, in samples)."""
    near = (1.5 * distance - 2.5) * distance**2 + 1
    far = ((-0.5 * distance + 2.5) * distance - 4) * distance + 2
    return np.where(distance < 1, near, np.where(distance < 2, far, 0))


def _resampler(
    size_in: int,
    size_out: int,
    where: Reals,
    taps: int,
    weigh: Callable[[Reals, Reals], Reals],
    lead: int = 0,
) -> Resampler:
    """Weigh `taps` inputs from `lead` before each `where`; those outside count for the border."""
    begin = np.floor(where).astype(np.intp) - lead
    positions = begin[:, None] + np.arange(taps)
    weights = weigh(where[:, None], positions.astype(np.float64))
    taps = min(taps, size_in)
    first = np.clip(begin, 0, size_in - taps)
    folded = np.zeros((size_out, taps))
    target = np.clip(positions, 0, size_in - 1) - first[:, None]
    np.add.at(folded, (np.arange(size_out)[:, None], np.clip(target, 0, taps - 1)), weights)
    folded /= folded.sum(axis=1, keepdims=True)
    return Resampler(size_in, size_out, first, folded.astype(np.float32))
