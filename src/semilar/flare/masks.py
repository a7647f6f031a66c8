"""Masks for glare, streak and light source in the colour code of the published test sets.

Yellow is glare, red is streak, blue is the light source, black is the rest.
"""

import numpy as np

from semilar.flare.sample import Bytes, Floats, Layers

GLARE = (255, 255, 0)
STREAK = (255, 0, 0)
LIGHT = (0, 0, 255)

# Flare weaker than these shares of full scale (linear light) is not marked: it cannot be seen.
GLARE_FLOOR = 0.01
STREAK_FLOOR = 0.02
LIGHT_FLOOR = 0.9


def draw_mask(layers: Layers, target: Floats) -> Bytes:
    """The mask (H, W, 3) uint8 of `layers`; `target` is the clean scene, *linear* light.

    A pixel is light source where a light was added and the scene is saturated, else streak, else
    glare; the later colours yield to the earlier ones, as in the published masks.
    """
    mask = np.zeros((*target.shape[:2], 3), np.uint8)
    mask[_brightest(layers.glare) > GLARE_FLOOR] = GLARE
    mask[_brightest(layers.streak) > STREAK_FLOOR] = STREAK
    lit = (_brightest(layers.light) > GLARE_FLOOR) & (target[..., 1] >= LIGHT_FLOOR)
    mask[lit] = LIGHT
    return mask


def _brightest(picture: Floats) -> Floats:
    return np.maximum(np.maximum(picture[..., 0], picture[..., 1]), picture[..., 2])
