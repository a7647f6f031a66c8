"""Labeled samples: simulated on the fly, or cut from ready pairs.

A source is stateless: `source.make(index, seed, ...)` gives the same sample whenever and wherever
it is called.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from semilar import photo
from semilar.caches import ByteCache
from semilar.data.pairs import Pair
from semilar.data.photos import CACHE_MEGABYTES, Bytes, Pictures, with_short_side
from semilar.errors import SemilarError
from semilar.flare import PatternSet, SynthSettings, synthesize
from semilar.photo import Floats, linear_to_srgb, srgb_to_linear


@dataclass(frozen=True)
class LabeledSample:
    """A flared picture, its clean scene and its flare layer: (H, W, 3) encoded in [0, 1]."""

    input: Floats
    target: Floats
    flare: Floats


class LabeledSource(Protocol):
    """Something that makes labeled samples of any size from an index and a seed."""

    def __len__(self) -> int: ...

    def make(
        self, index: int, *, seed: int, crop: int, settings: SynthSettings
    ) -> LabeledSample: ...


class SimulatedPairs:
    """Flares over photographs, made on the fly; `samples` of them make one pass.

    Args:
        backgrounds: the pictures without flare, such as a `PhotoCache`.
        samples: how many samples one pass has.
        patterns: flares from disk by the published protocol, instead of the simulator's.
    """

    def __init__(
        self,
        backgrounds: Pictures,
        *,
        samples: int,
        patterns: PatternSet | None = None,
    ) -> None:
        self._backgrounds, self._patterns, self._samples = backgrounds, patterns, samples

    def __len__(self) -> int:
        return self._samples

    def make(self, index: int, *, seed: int, crop: int, settings: SynthSettings) -> LabeledSample:
        background = self._backgrounds(index % len(self._backgrounds))
        if min(background.shape[:2]) < crop:
            background = with_short_side(background, crop)
        made = synthesize(
            background, seed=seed, settings=settings, size=(crop, crop), patterns=self._patterns
        )
        return LabeledSample(made.input, made.target, made.flare)


_Layers = tuple[Bytes, Bytes, Bytes | None]  # flared, clean, and the flare where it is known


class ReadyPairs:
    """Random crops of pairs on disk; the flare layer is their difference in linear light."""

    def __init__(self, pairs: Sequence[Pair], *, megabytes: int = CACHE_MEGABYTES) -> None:
        self._pairs = list(pairs)
        self._kept = ByteCache(self._read, size=_bytes, budget=megabytes * 2**20)

    def __len__(self) -> int:
        return len(self._pairs)

    def make(self, index: int, *, seed: int, crop: int, settings: SynthSettings) -> LabeledSample:
        rng = np.random.default_rng(seed)
        layers = self._at_least(self._kept(index), crop)
        height, width = layers[0].shape[:2]
        top, left = (int(rng.integers(side - crop + 1)) for side in (height, width))
        step = -1 if rng.random() < 0.5 else 1
        window = np.s_[top : top + crop, left : left + crop]

        def cut(pixels: Bytes) -> Floats:
            return np.ascontiguousarray(pixels[window][:, ::step]).astype(np.float32) / np.float32(
                255
            )

        flared, clean = cut(layers[0]), cut(layers[1])
        flare = flare_layer(flared, clean) if layers[2] is None else cut(layers[2])
        return LabeledSample(flared, clean, flare)

    @staticmethod
    def _at_least(layers: _Layers, crop: int) -> _Layers:
        if min(layers[0].shape[:2]) >= crop:
            return layers
        flared, clean, flare = layers
        return (
            with_short_side(flared, crop),
            with_short_side(clean, crop),
            None if flare is None else with_short_side(flare, crop),
        )

    def _read(self, index: int) -> _Layers:
        pair = self._pairs[index]
        flared, clean = (
            photo.to_depth(photo.read(path).pixels, 8) for path in (pair.input, pair.target)
        )
        flare = photo.to_depth(photo.read(pair.flare).pixels, 8) if pair.flare else None
        if flared.shape != clean.shape or (flare is not None and flare.shape != flared.shape):
            raise SemilarError(
                f"{pair.input}: is {_size(flared)} but its partner {pair.target} is {_size(clean)}."
            )
        return flared, clean, flare


def flare_layer(flared: Floats, clean: Floats) -> Floats:
    """What flare added, encoded: the difference of the two encoded pictures in linear light."""
    added = srgb_to_linear(flared) - srgb_to_linear(clean)
    return linear_to_srgb(np.clip(added, 0, 1))


def _bytes(layers: _Layers) -> int:
    return sum(one.nbytes for one in layers if one is not None)


def _size(pixels: Bytes) -> str:
    return f"{pixels.shape[1]} x {pixels.shape[0]}"
