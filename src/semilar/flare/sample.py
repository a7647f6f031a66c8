"""What one synthesis gives: the spoiled picture, the clean one, the flare, and the masks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semilar.photo import Bytes, Floats

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Sample:
    """One labeled example. All pictures are (H, W, 3), *encoded* light in [0, 1], float32.

    `target` is the scene with its light sources; `flare` is the layer that was added to it in
    linear light; `mask` is in the published colour code (see `semilar.flare.masks`).
    """

    input: Floats
    target: Floats
    flare: Floats
    mask: Bytes


@dataclass(frozen=True)
class Layers:
    """The parts that are added to a scene, *linear* light, float32."""

    light: Floats
    """Light sources, (H, W, 3): they belong to the scene and stay in the target."""
    flare: Floats
    """What a remover must take away, (H, W, 3)."""
    streak: Bools
    """Where the flare is streak rather than glare, (H, W)."""
