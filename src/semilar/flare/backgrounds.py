"""Pictures without flare that need no download: photographs of installed packages, night scenes."""

import importlib.util
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from semilar.flare.sample import Bytes
from semilar.flare.scene import night_scene

# Photographs that scikit-image carries inside its wheel (public domain or CC0).
PHOTOGRAPHS = ("astronaut.png", "coffee.png", "chelsea.png", "rocket.jpg", "motorcycle_left.png")
SCENES = 6
SCENE_SIZE = (640, 640)


@lru_cache(maxsize=1)
def builtin_backgrounds() -> tuple[Bytes, ...]:
    """Pictures (H, W, 3), *encoded* uint8, at least 300 pixels on the short side; read-only.

    The night scenes come first and are always there; the photographs only with scikit-image.
    """
    pictures = [night_scene(seed, SCENE_SIZE) for seed in range(SCENES)]
    pictures += [_read(path) for path in _photographs()]
    for picture in pictures:
        picture.setflags(write=False)
    return tuple(pictures)


def _photographs() -> list[Path]:
    found = importlib.util.find_spec("skimage")
    if found is None or found.origin is None:
        return []
    folder = Path(found.origin).parent / "data"
    return [folder / name for name in PHOTOGRAPHS if (folder / name).is_file()]


def _read(path: Path) -> Bytes:
    with Image.open(path) as picture:
        return np.array(picture.convert("RGB"))
