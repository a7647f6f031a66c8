"""Coloured rims round lamps: how much more colour a removal leaves there than it found.

Part of tools/judge_model.py. A lamp is a clipped spot of the flared picture; its rim is the ring of
four pixels around it. Flare removal that treats the channels unalike leaves pink or cyan rims, so
the difference of red and green there is compared before and after.
"""

from pathlib import Path

import numpy as np
from PIL import Image
from scipy import ndimage

CLIPPED = 250
"""8-bit level from which a channel counts as clipped."""
SMALLEST = 9
"""Pixels of the smallest spot that counts as a lamp."""
WIDTH = 4


def rim(picture: np.ndarray) -> np.ndarray:
    """Where the rims of lamps are in an *encoded* uint8 picture, (H, W)."""
    spots = np.zeros(picture.shape[:2], np.int32)
    ndimage.label(picture.min(axis=2) >= CLIPPED, output=spots)
    sizes = np.bincount(spots.ravel())
    lamps = (spots > 0) & (sizes[spots] >= SMALLEST)
    wider = np.zeros_like(lamps)
    ndimage.binary_dilation(lamps, iterations=WIDTH, output=wider)
    return wider & ~lamps


def rim_change(before: Path, after: Path) -> dict[str, float]:
    """Mean over pictures of the change of mean |R − G| in the rims, in 8-bit levels."""
    changes = []
    for file in sorted(before.iterdir()):
        first, second = (_read(place / file.name) for place in (before, after))
        ring = rim(first)
        if ring.any():
            old, new = (
                np.abs(one[ring][:, 0].astype(int) - one[ring][:, 1]).mean()
                for one in (first, second)
            )
            changes.append(float(new - old))
    return {
        "pictures": len(changes),
        "change": float(np.mean(changes)) if changes else 0.0,
        "absolute": float(np.mean(np.abs(changes))) if changes else 0.0,
    }


def _read(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))
