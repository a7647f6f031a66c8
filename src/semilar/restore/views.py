"""One picture seen in up to eight orientations, and the mean of what a network makes of them.

A trained network has its habits: mirrored and turned, a picture is restored a little differently
each time. The mean over a picture and its mirror image is better than either, at the cost of two
runs. Scenes do have an up and a down: lying on its side, a lit ceiling is taken for flare.

Where views differ the network is not sure, and more often wrong: what is the light of the scene it
takes for flare from one side and not from the other. So a part of the difference is left alone.
"""

from collections.abc import Callable

import numpy as np

from semilar.photo import Floats

# Bits: 1 mirrors left and right, 2 top and bottom, 4 swaps height and width. Those come first that
# restore best.
ORIENTATIONS = (0, 1, 3, 2, 4, 5, 7, 6)
# So many standard deviations between views stay as they are. Chosen on the choosing halves of the
# real pairs: more leaves flare, less takes light of the scene.
_DOUBT = 0.75


def mean_of_views(
    run: Callable[[Floats], Floats], image: Floats, views: int, *, at_once: int = 1
) -> Floats:
    """The mean of `seen_in_views`, (N, 3, H, W)."""
    return seen_in_views(run, image, views, at_once=at_once).mean(axis=0)


def seen_in_views(
    run: Callable[[Floats], Floats], image: Floats, views: int, *, at_once: int = 1
) -> Floats:
    """`run` of the first `views` orientations of the pictures `image` (N, 3, H, W), all turned
    back: (views, N, 3, H, W).

    `at_once` orientations of the same shape go through as one batch (at_once x N, 3, H, W).
    """
    found = np.empty((views, *image.shape), np.float32)
    chosen = ORIENTATIONS[:views]
    upright, lying = ([i for i, one in enumerate(chosen) if one & 4 == bit] for bit in (0, 4))
    for same in (upright, lying):
        for start in range(0, len(same), at_once):
            batch = same[start : start + at_once]
            scenes = run(np.concatenate([turned(image, chosen[i]) for i in batch]))
            for i, scene in zip(batch, np.split(scenes, len(batch)), strict=True):
                found[i] = turned_back(scene, chosen[i])
    return found


def agreed(image: Floats, scenes: Floats) -> Floats:
    """The scene that all views agree on, more or less: the mean of `scenes` (views, N, 3, H, W),
    but that less is changed of `image` (N, 3, H, W) the more they differ.
    """
    change = image - scenes.mean(axis=0)
    sure = np.maximum(np.abs(change) - np.float32(_DOUBT) * scenes.std(axis=0), 0)
    return image - np.copysign(sure, change)


def turned(image: Floats, orientation: int) -> Floats:
    """`image` (..., H, W) in another orientation."""
    if orientation & 1:
        image = image[..., ::-1]
    if orientation & 2:
        image = image[..., ::-1, :]
    if orientation & 4:
        image = image.swapaxes(-1, -2)
    return np.ascontiguousarray(image)


def turned_back(image: Floats, orientation: int) -> Floats:
    """What undoes `turned`."""
    if orientation & 4:
        image = image.swapaxes(-1, -2)
    if orientation & 2:
        image = image[..., ::-1, :]
    if orientation & 1:
        image = image[..., ::-1]
    return image
