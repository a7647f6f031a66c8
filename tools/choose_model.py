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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from semilar.data.pairs import find_pairs
from semilar.quality.psnr import from_mse
from semilar.restore import Remover

HALVES = Path(__file__).with_name("halves")
MOST_PSNR = 100.0  # what an unchanged photograph counts as
Picture = NDArray[np.uint8]  # (H, W, 3), encoded


@dataclass(frozen=True)
class Judged:
    """What a model did to one pair."""

    name: str
    gain: float
    unchanged: bool
    strip: Picture
    """Flared, restored, clean, side by side."""


@dataclass(frozen=True)
class RealPair:
    """Two *encoded* pictures and where they may be compared."""

    name: str
    flared: Picture
    clean: Picture
    counts: NDArray[np.bool_]  # (H, W)

    def psnr(self, picture: Picture) -> float:
        """How near *encoded* `picture` is to the clean one where it counts, in dB."""
        error = (picture.astype(np.float64) - self.clean)[self.counts]
        return min(from_mse(float(np.mean(error**2))), MOST_PSNR)

    def judged(self, restored: Picture) -> Judged:
        """What taking the flare out has gained."""
        gain = self.psnr(restored) - self.psnr(self.flared)
        strip = np.hstack([self.flared, restored, self.clean])
        return Judged(self.name, gain, np.array_equal(restored, self.flared), strip)


def listed_pairs(folder: Path, names: Path) -> Iterator[RealPair]:
    """The pairs of a folder whose names are on a list."""
    found = {pair.name: pair for pair in find_pairs(folder).pairs}
    for name in names.read_text(encoding="utf-8").split():
        pair = found[name]
        flared, clean = read(pair.input), read(pair.target)
        hidden = np.zeros_like(clean) if pair.mask is None else read(pair.mask)
        yield RealPair(name, flared, clean, hidden.max(axis=2) < 128)


def read(path: Path) -> Picture:
    """An *encoded* 8-bit picture."""
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


def line(name: str, judged: list[Judged], worse: float) -> str:
    """The figures of one set."""
    gains = [one.gain for one in judged]
    return (
        f"{name} {fmean(gains):+.2f} dB, {sum(gain < -worse for gain in gains)} of {len(gains)}"
        f" worse by {worse} dB (lowest {min(gains):+.2f}), {sum(one.unchanged for one in judged)}"
        " called clean"
    )


def write_sheet(path: Path, judged: list[Judged]) -> None:
    """All pairs of a set below each other, the lowest gain first."""
    strips = [one.strip for one in sorted(judged, key=lambda one: one.gain)]
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
    strong = list(listed_pairs(options.strong, HALVES / "strong-choose.txt"))
    mild = list(listed_pairs(options.mild, HALVES / "mild-choose.txt"))
    for model in options.models:
        remover = Remover(model=model, working_size=options.working_size)
        hard, easy = (
            [pair.judged(remover.remove(pair.flared).image) for pair in pairs]
            for pairs in (strong, mild)
        )
        alone = [
            RealPair(pair.name, pair.clean, pair.clean, pair.counts).psnr(
                remover.remove(pair.clean).image
            )
            for pair in mild
        ]
        score = fmean(one.gain for one in hard) + 2 * fmean(one.gain for one in easy)
        print(f"{model}: score {score:.3f}")
        print(f"  {line('strong', hard, 0.5)}")
        print(f"  {line('mild', easy, 0.3)}")
        print(f"  clean photographs {fmean(alone):.1f} dB, {min(alone):.1f} at worst", flush=True)
        if options.sheet:
            for name, judged in (("strong", hard), ("mild", easy)):
                write_sheet(options.sheet / f"{Path(model).stem}-{name}.jpg", judged)


if __name__ == "__main__":
    main()
