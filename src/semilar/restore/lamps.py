"""Lamps: clipped light that stays.

Where a picture is clipped nobody can see how much of the light is the lamp's and how much is flare.
A network is careful there and may answer grey, even for a lamp whose outline it has seen. What it
tells well is where in the clipped light the lamp is: there it leaves more than around it. So of all
clipped light close together that stays which it leaves brightest, with its colour: a lamp is
yellow where two channels are clipped and the third nearly so, and must not turn green or white.

Of a large clipped area it may leave an even dark grey, and then tells nothing. There the outline
tells: a lamp is the thick body of what is clipped together, streaks are the thin arms of it.
"""

import numpy as np
from numpy.typing import NDArray

from semilar.photo import Floats
from semilar.restore.filters import box, highest, highest_along, ramp

# What is clipped in a channel, and what the network calls so bright there (*linear* light), stays.
_BRIGHT = (0.5, 0.75)
# Windows in short sides of the picture: over the first the network's answer is averaged, in the
# second the brightest clipped light is looked for.
_EVEN, _NEAR = 0.01, 0.06
# A lamp is at least so bright beside the brightest clipped light near it.
_BESIDE = (0.4, 0.6)
# Where the network leaves no more than this of anything near (*linear* light), no lamp was clipped.
_LEFT = (0.06, 0.15)
# Where it leaves no more than the first of all light clipped together, nothing of that is a lamp;
# from the second on its answer shows where the lamp is, below that the outline does.
_UNSEEN, _SEEN = (0.02, 0.04), (0.3, 0.5)
# Outlines are looked at in blocks of so many samples; the body is thicker than so much of the
# thickest place of what is clipped together.
_BLOCK, _BODY = 4, 0.5


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
    return np.maximum(bright, full * _lamp_of(full > 0.5, scene))


def _lamp_of(full: NDArray[np.bool_], scene: Floats) -> Floats:
    """How much of each clipped sample is a lamp's, (h, w, 1) from 0 to 1."""
    counts = full.astype(np.float32)
    side = min(scene.shape[:2])
    radius = max(1, round(_EVEN * side))
    bright = box(brightness(np.clip(scene, 0, 1)) * counts, radius)
    bright /= np.maximum(box(counts, radius), np.float32(1e-3))
    bright *= counts
    near = highest(bright, max(1, round(_NEAR * side)))
    seen = ramp(bright / np.maximum(near, np.float32(1e-3)), *_BESIDE) * ramp(near, *_LEFT)
    height, width = full.shape[:2]
    blocks = _blocks(counts) > 0.5
    left = highest(highest_joined(_blocks(bright), blocks), 1)
    outlined, trust = (
        box(x.repeat(_BLOCK, axis=0).repeat(_BLOCK, axis=1)[:height, :width], _BLOCK // 2)
        for x in (bodies(blocks) * ramp(left, *_UNSEEN), ramp(left, *_SEEN))
    )
    return trust * seen + (1 - trust) * outlined


def _blocks(x: Floats) -> Floats:
    """The means of `x` (h, w, 1) over blocks; the last ones reach over its edge."""
    down, across = (-length % _BLOCK for length in x.shape[:2])
    x = np.pad(x, ((0, down), (0, across), (0, 0)), mode="edge")
    return x.reshape(x.shape[0] // _BLOCK, _BLOCK, x.shape[1] // _BLOCK, _BLOCK, 1).mean((1, 3))


def highest_joined(x: Floats, where: NDArray[np.bool_]) -> Floats:
    """The largest value of `x` (h, w, 1) on all of `where` that hangs together."""
    x = x * where
    while True:
        spread = highest(x, 1) * where
        if np.array_equal(spread, x):
            return x
        x = spread


def bodies(where: NDArray[np.bool_]) -> Floats:
    """The thick parts of `where` (h, w, 1), and one sample round them: 1, and 0 elsewhere.

    They are the discs inside it (octagons, in fact), but for those much smaller than the largest
    one in what hangs together.
    """
    depth = np.zeros(where.shape, np.float32)
    inner, steps = where.astype(np.float32), 0
    while inner.any() and steps < max(where.shape):
        depth += inner
        steps += 1
        inner = 1 - _grown(1 - inner, steps)
    depth *= depth > _BODY * highest_joined(depth, where)
    body = np.zeros_like(depth)
    for step in range(steps, 0, -1):
        body = _grown(np.maximum(body, depth == step), step)
    return body


def _grown(x: Floats, step: int) -> Floats:
    """`x` (h, w, 1) with one sample more round it; squares and crosses in turn make octagons."""
    if step % 2:
        return highest(x, 1)
    return np.maximum(highest_along(x, 1, axis=0), highest_along(x, 1, axis=1))
