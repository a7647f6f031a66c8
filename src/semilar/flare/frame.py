"""Where the picture lies in the photograph: a crop knows where the optical centre is."""

from dataclasses import dataclass

import numpy as np

from semilar.flare.draws import Rng, uniform
from semilar.flare.limits import Range
from semilar.flare.sample import Floats


@dataclass(frozen=True)
class Frame:
    """Geometry of one picture; all in pixels of that picture, x to the right, y down."""

    height: int
    width: int
    side: float
    """Short side of the whole photograph: the unit of all lengths in the settings."""
    centre: tuple[float, float]
    """Optical centre (x, y), which a crop need not contain."""

    @property
    def size(self) -> tuple[int, int]:
        """(height, width)."""
        return self.height, self.width

    def axes(self) -> tuple[Floats, Floats]:
        """Column and row coordinates relative to the optical centre: (1, W) and (H, 1)."""
        x = np.arange(self.width, dtype=np.float32) - np.float32(self.centre[0])
        y = np.arange(self.height, dtype=np.float32) - np.float32(self.centre[1])
        return x[None, :], y[:, None]


def draw_frame(rng: Rng, size: tuple[int, int], crop: Range) -> Frame:
    """Choose how much of the photograph the picture shows, and which part."""
    height, width = size
    share = uniform(rng, crop)
    slack_x, slack_y = width * (1 / share - 1), height * (1 / share - 1)
    left, top = uniform(rng, (0, slack_x)), uniform(rng, (0, slack_y))
    centre = ((width + slack_x) / 2 - left, (height + slack_y) / 2 - top)
    return Frame(height, width, min(size) / share, centre)
