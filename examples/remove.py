"""Taking the flare out of photographs from Python.

    python examples/remove.py PHOTO [MODEL]

Without a model's name or file the one that comes with the package is used. Writes PHOTO's restored
copy beside it and the removed light to flare.png in the same folder.
"""

import sys
from pathlib import Path

import numpy as np

import semilar
from semilar import photo


def main(source: Path, model: str) -> None:
    # One call: a path gives the path of a new file, bytes give bytes, an array an array.
    target = semilar.remove(source, model=model, force=True)
    print(f"restored: {target}")

    # A session keeps the network loaded and says more.
    remover = semilar.Remover(model=model)
    result = remover.remove(source)
    print(f"flare found: {result.found}; the network saw {result.working_size}")
    photo.write(result.flare, source.with_name("flare.png"), force=True)

    # Arrays: (H, W, 3), encoded light, uint8, uint16 or float in [0, 1].
    pixels = photo.read(source).pixels
    left_half = np.zeros(pixels.shape[:2], bool)
    left_half[:, : pixels.shape[1] // 2] = True
    gently = remover.remove(pixels, strength=0.5, mask=left_half).image
    changed = np.any(gently != pixels, axis=2)
    print(f"changed with half strength in the left half: {changed.mean():.0%} of the pixels")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "semilar-t")
