"""Which of several models is best, by the halves of the real pairs that may choose.

    python tools/choose_model.py --strong PAIRS --mild PAIRS MODEL [MODEL ...] [--working-size N]
        [--sheet DIR]

Every model goes through the whole pipeline, as a photograph of a user does. For each the mean gain
over the untouched input is printed for strong pairs (outside the mask) and mild ones, how many got
worse (by more than 0.5 and 0.3 dB), the lowest gain, how many were called clean, and what became
of the clean photographs of the mild pairs. The score is the strong gain plus twice the mild one.
With --sheet the pictures are written side by side, worst first: flared, restored, clean. The other
halves are for `tools/judge_model.py` alone.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from semilar.data.pairs import find_pairs
from semilar.quality import psnr_outside
from semilar.restore import Remover

HALVES = Path(__file__).with_name("halves")
MOST_PSNR = 100.0  # what an unchanged photograph counts as
STRONG_WORSE, MILD_WORSE = 0.5, 0.3  # a picture counts as worse when it loses more dB than that
Picture = NDArray[np.uint8]  # (H, W, 3), encoded


@dataclass(frozen=True)
class Measured:
    """What a model did to one pair."""

    gain: float
    unchanged: bool
    strip: Picture
    """Flared, restored, clean, side by side."""


@dataclass(frozen=True)
class RealPair:
    """Two *encoded* pictures, and in white what hides a lamp in the second."""

    flared: Picture
    clean: Picture
    hidden: Picture

    def psnr(self, picture: Picture) -> float:
        """How near *encoded* `picture` is to the clean one where nothing is hidden, in dB."""
        found = psnr_outside(picture, self.clean, self.hidden)
        assert found is not None  # no mask hides all
        return min(found, MOST_PSNR)

    def measured(self, remover: Remover) -> Measured:
        """What taking the flare out gains."""
        restored = remover.remove(self.flared).image
        gain = self.psnr(restored) - self.psnr(self.flared)
        strip = np.hstack([self.flared, restored, self.clean])
        return Measured(gain, np.array_equal(restored, self.flared), strip)


def read_pairs(folder: Path, names: Path | None = None) -> list[RealPair]:
    """The pairs of a folder, those whose names are on a list where one is given."""
    pairs = find_pairs(folder).pairs
    if names is not None:
        listed = names.read_text(encoding="utf-8").split()
        pairs = [pair for pair in pairs if pair.name in listed]
    found = []
    for pair in pairs:
        clean = read(pair.target)
        hidden = np.zeros_like(clean) if pair.mask is None else read(pair.mask)
        found.append(RealPair(read(pair.input), clean, hidden))
    return found


def read(path: Path) -> Picture:
    """An *encoded* 8-bit picture."""
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


@dataclass(frozen=True)
class Figures:
    """A model on strong pairs, on mild ones, and on the clean photographs of those."""

    strong: list[Measured]
    mild: list[Measured]
    clean: list[float]
    """PSNR in dB of each clean photograph after the model has seen it."""

    @property
    def score(self) -> float:
        """The strong gain plus twice the mild one."""
        return gain(self.strong) + 2 * gain(self.mild)

    def __str__(self) -> str:
        return "\n".join(
            [
                f"  {line('strong', self.strong, STRONG_WORSE)}",
                f"  {line('mild', self.mild, MILD_WORSE)}",
                f"  clean photographs {fmean(self.clean):.1f} dB, {min(self.clean):.1f} at worst",
            ]
        )


def figures(remover: Remover, strong: list[RealPair], mild: list[RealPair]) -> Figures:
    """All figures of one model."""
    alone = [
        RealPair(pair.clean, pair.clean, pair.hidden).psnr(remover.remove(pair.clean).image)
        for pair in mild
    ]
    hard, easy = ([pair.measured(remover) for pair in pairs] for pairs in (strong, mild))
    return Figures(hard, easy, alone)


def gain(measured: list[Measured]) -> float:
    """Mean gain in dB."""
    return fmean(one.gain for one in measured)


def worse(measured: list[Measured], by: float) -> int:
    """How many lost more than that many dB."""
    return sum(one.gain < -by for one in measured)


def line(name: str, measured: list[Measured], by: float) -> str:
    """The figures of one set."""
    return (
        f"{name} {gain(measured):+.2f} dB,"
        f" {worse(measured, by)} of {len(measured)} worse by {by} dB"
        f" (lowest {min(one.gain for one in measured):+.2f}),"
        f" {sum(one.unchanged for one in measured)} called clean"
    )


def write_sheet(path: Path, measured: list[Measured]) -> None:
    """All pairs of a set below each other, the lowest gain first."""
    strips = [one.strip for one in sorted(measured, key=lambda one: one.gain)]
    width = min(strip.shape[1] for strip in strips)
    rows = [
        Image.fromarray(strip).resize((width, strip.shape[0] * width // strip.shape[1]))
        for strip in strips
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.vstack([np.asarray(row) for row in rows])).save(path)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", help="bundled models or files")
    parser.add_argument("--strong", type=Path, required=True, help="real pairs, strong flare")
    parser.add_argument("--mild", type=Path, required=True, help="real pairs, mild flare")
    parser.add_argument("--working-size", type=int, help="instead of the model's own")
    parser.add_argument("--sheet", type=Path, help="a folder for sheets of pictures")
    options = parser.parse_args()
    strong = read_pairs(options.strong, HALVES / "strong-choose.txt")
    mild = read_pairs(options.mild, HALVES / "mild-choose.txt")
    for model in options.models:
        remover = Remover(model=model, working_size=options.working_size)
        found = figures(remover, strong, mild)
        print(f"{model}: score {found.score:.3f}\n{found}", flush=True)
        if options.sheet:
            write_sheet(options.sheet / f"{Path(model).stem}-strong.jpg", found.strong)
            write_sheet(options.sheet / f"{Path(model).stem}-mild.jpg", found.mild)


if __name__ == "__main__":
    main()
