"""Lamps: clipped light that stays.

Where a picture is clipped nobody can see how much of the light is the lamp's and how much is flare.
A network is careful there and may answer grey, even for a lamp whose outline it has seen. What it
tells well is where in the clipped light the lamp is: there it leaves more than around it. So of all
clipped light close together that stays which it leaves brightest, with its colour: a lamp is
yellow where two channels are clipped and the third nearly so, and must not turn green or white.
"""

import numpy as np
from numpy.typing import NDArray

from semilar.photo import Floats
from semilar.restore.filters import box, highest, ramp

# What is clipped in a channel, and what the network calls so bright there (*linear* light), stays.
_BRIGHT = (0.5, 0.75)
# Windows in short sides of the picture: over the first the network's answer is averaged, in the
# second the brightest clipped light is looked for.
_EVEN, _NEAR = 0.01, 0.06
# A lamp is at least so bright beside the brightest clipped light near it.
_BESIDE = (0.4, 0.6)
# Where the network leaves no more than this of anything near (*linear* light), no lamp was clipped.
_LEFT = (0.06, 0.15)


def brightness(linear: Floats) -> Floats:
    """Mean of the channels, (..., 3) to (..., 1): noise differs between them, flare less so."""
    return linear @ np.full((3, 1), 1 / 3, np.float32)


def lamps(clipped: Floats, scene: Floats) -> Floats:
    """How much of each sample is the light of a lamp, (h, w, 3) from 0 to 1.

    `clipped` (h, w, 3) is how much of each sample is clipped, `scene` (h, w, 3) what the network
    leaves there, *linear* light.
    """
    bright = clipped * ramp(scene, *_BRIGHT)
    red, green, blue = (clipped[..., [channel]] for channel in range(3))
    # The median: two channels are clipped at least so much.
    full = np.maximum(np.minimum(red, green), np.minimum(np.maximum(red, green), blue))
    if full.max() <= 0.5:
        return bright
    return np.maximum(bright, full * _brightest_near(full > 0.5, scene))


def _brightest_near(full: NDArray[np.bool_], scene: Floats) -> Floats:
    """How nearly a sample is the brightest of the full ones near it, (h, w, 1) from 0 to 1."""
    counts = full.astype(np.float32)
    side = min(scene.shape[:2])
    radius = max(1, round(_EVEN * side))
    bright = box(brightness(np.clip(scene, 0, 1)) * counts, radius)
    bright /= np.maximum(box(counts, radius), np.float32(1e-3))
    top = highest(bright * counts, max(1, round(_NEAR * side)))
    beside = bright / np.maximum(top, np.float32(1e-3))
    return ramp(beside, *_BESIDE) * ramp(top, *_LEFT)
