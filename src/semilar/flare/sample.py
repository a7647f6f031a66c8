"""What one synthesis gives: the spoiled picture, the clean one, the flare, and the masks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
"""Pictures of light; float32 everywhere, though type checkers lose that along the way."""
Bytes = NDArray[np.uint8]


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
    """The parts of a flare picture, each (H, W, 3), *linear* light, float32.

    `light` belongs to the scene and stays in the target; `glare` (glow, shimmer, halos, ghosts)
    and `streak` are what a remover must take away.
    """

    light: Floats
    glare: Floats
    streak: Floats

    @classmethod
    def empty(cls, size: tuple[int, int]) -> "Layers":
        """No light and no flare, for a picture of (height, width)."""
        return cls(*(np.zeros((*size, 3), np.float32) for _ in range(3)))

    @property
    def flare(self) -> Floats:
        """Everything that a remover must take away, linear light."""
        return self.glare + self.streak
