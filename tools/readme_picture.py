"""Make docs/images/before-after.jpg: photographs behind a simulated smeared lens, and restored.

    python tools/readme_picture.py --photos DATA/test

DATA/test holds photographs that the bundled model never saw (`tools/select_backgrounds.py`). README
names authors and licences of those that are shown. Run it again whenever the model or the simulator
changes.
"""

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from semilar import Remover
from semilar.data.photos import with_short_side
from semilar.flare import SynthSettings, synthesize
from semilar.photo import Photo, read, write
from semilar.restore.compare import side_by_side

OUT = Path("docs/images/before-after.jpg")
SIZE = 400, 600


@dataclass(frozen=True)
class Shot:
    """A photograph, and the seed of the lens in front of it."""

    file: str
    seed: int


SHOTS = (
    Shot("night-petra--arturodonate-skyline.jpg", 3),
    Shot("night-petra--arturodonate-skyline.jpg", 5),
)


def flared(shot: Shot, photos: Path) -> Photo:
    """The *encoded* photograph as a smeared lens shows it, its own light left as it is."""
    smeared = SynthSettings.preset("smeared")
    night = replace(smeared.background.night, probability=0.0)
    settings = replace(
        smeared,
        background=replace(smeared.background, noise=0.0, cast=0.0, temperature=0.0, night=night),
        camera=SynthSettings().camera,
        lights=replace(smeared.lights, quiet=(0, 0), neon=0.0),
    )
    picture = with_short_side(read(photos / shot.file).pixels, SIZE[0])
    made = synthesize(picture, seed=shot.seed, settings=settings, size=SIZE)
    return Photo(pixels=np.rint(made.input * 255).astype(np.uint8))


def main() -> None:
    """Write the picture: a row for each photograph, before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True)
    photos = parser.parse_args().photos
    remover = Remover()
    rows = []
    for shot in SHOTS:
        before = flared(shot, photos)
        rows.append(side_by_side(before, remover.remove(before).image).pixels)
    write(Photo(pixels=np.vstack(rows)), OUT, force=True)


if __name__ == "__main__":
    main()
