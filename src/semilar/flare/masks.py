"""Masks for glare, streak and light source in the colour code of the published test sets.

Yellow is glare, red is streak, blue is the light source, black is the rest.
"""

import numpy as np

from semilar.flare.sample import Bytes, Floats, Layers

GLARE = (255, 255, 0)
STREAK = (255, 0, 0)
LIGHT = (0, 0, 255)

_PALETTE = np.array([(0, 0, 0), GLARE, STREAK, LIGHT], np.uint8)

# Weaker flare than these shares of full scale (linear light) is not marked: it is hardly seen.
GLARE_FLOOR = 0.01
STREAK_FLOOR = 0.02
LIGHT_FLOOR = 0.9


def draw_mask(layers: Layers, target: Floats) -> Bytes:
    """The mask (H, W, 3) uint8 of `layers`; `target` is the clean scene, *linear* light.

    A pixel is light source where a light was added and the scene is saturated, else streak, else
    glare, as in the published masks.
    """
    code = (brightest(layers.flare) > GLARE_FLOOR).view(np.uint8)
    code[layers.streak] = 2
    code[(layers.light[..., 1] > GLARE_FLOOR) & (target[..., 1] >= LIGHT_FLOOR)] = 3
    return np.take(_PALETTE, code, axis=0, mode="clip")


def brightest(picture: Floats) -> Floats:
    """The largest channel of each pixel, (H, W)."""
    return np.maximum(np.maximum(picture[..., 0], picture[..., 1]), picture[..., 2])
