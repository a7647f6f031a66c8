"""All scorers side by side on simulated and real pairs, as a Markdown table.

    python tools/compare_scorers.py --scenes out/flare-score/held-out.npy --pairs REAL_PAIRS

`--scenes` is the file of held-out scenes that `tools/train_flare_score.py scenes` wrote; `--pairs`
a folder with `flare/` and `clear/` photographs of the same names. Columns: Spearman correlation of
the score with the true PSNR over 14 restorations of each scene (mean over scenes), in how many
real pairs the clean photograph wins, how often a ruined version (black, foggy, blurred) of a clean
photograph, real or held out (`--number` of each), is wrongly preferred, and milliseconds for a
picture of 512 x 512.
"""

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from scipy.stats import spearmanr
from torch import Tensor

from semilar.quality.scorers import SCORERS, scorer
from semilar.quality.scorers.flare_score import FlareScore
from semilar.quality.scorers.musiq import Musiq
from semilar.quality.scorers.restorations import draw_restorations, ruins, true_psnr
from semilar.weights import WeightsMissingError

RESTORATIONS = 14
Judge = Callable[[Tensor], Tensor]


def read(path: Path) -> Tensor:
    """A photograph as (1, 3, H, W), encoded."""
    with Image.open(path) as opened:
        pixels = np.asarray(opened.convert("RGB"), np.float32) / 255
    return torch.from_numpy(pixels.transpose(2, 0, 1))[None]


def held_out_scenes(file: Path, skip: int, number: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Flared and clean scenes, (1, 3, H, W) each, encoded."""
    for pair in np.load(file, mmap_mode="r")[skip : skip + number]:
        flared, clean = torch.from_numpy(pair.transpose(0, 3, 1, 2).astype(np.float32) / 255)
        yield flared[None], clean[None]


def correlation(judge: Judge, scenes: list[tuple[Tensor, Tensor]]) -> float:
    """Mean over scenes of Spearman's rho between score and true PSNR of their restorations."""
    found = []
    for number, (flared, clean) in enumerate(scenes):
        random = np.random.default_rng(number)
        restored = draw_restorations(flared, clean, RESTORATIONS, random)
        found.append(spearmanr(judge(restored), true_psnr(restored, clean))[0])
    return float(np.mean(found))


def gaps(judge: Judge, pairs: Path) -> dict[str, float]:
    """By how much each clean photograph scores above its flared partner."""
    names = sorted(file.name for file in (pairs / "flare").iterdir())
    return {
        name: (judge(read(pairs / "clear" / name)) - judge(read(pairs / "flare" / name))).item()
        for name in names
    }


def preferred_ruins(judge: Judge, photos: list[Tensor]) -> tuple[Counter[str], int]:
    """Which ruins beat or equal their photograph, and how many were tried."""
    wrong, tried = Counter[str](), 0
    for photo in photos:
        own = judge(photo)
        for name, ruin in ruins(photo).items():
            tried += 1
            wrong[name] += int(judge(ruin) >= own)
    return +wrong, tried


def milliseconds(judge: Judge, repeats: int = 7) -> float:
    """Median time for one picture of 512 x 512."""
    picture, spent = torch.rand(1, 3, 512, 512), []
    for _ in range(repeats):
        start = time.perf_counter()
        judge(picture)
        spent.append(time.perf_counter() - start)
    return 1000 * statistics.median(spent)


def row(name: str, judge: Judge, options: argparse.Namespace) -> str:
    """One line of the table; what went wrong in detail goes to the lines below it."""
    scenes = list(held_out_scenes(options.scenes, options.skip, options.number))
    rho = correlation(judge, scenes)
    found = gaps(judge, options.pairs)
    clean = [read(options.pairs / "clear" / name) for name in list(found)[: options.number]]
    wrong, tried = preferred_ruins(judge, [*clean, *(clean for _, clean in scenes)])
    right = sum(gap > 0 for gap in found.values())
    if options.verbose:
        print(name, "wrong pairs:", {k: round(v, 2) for k, v in found.items() if v <= 0})
        print(name, "preferred ruins:", dict(wrong))
    share = f"{wrong.total()} of {tried}"
    return (
        f"| `{name}` | {rho:.3f} | {right} of {len(found)} | {share} | {milliseconds(judge):.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--scenes", type=Path, required=True, help="held-out.npy")
    parser.add_argument("--pairs", type=Path, required=True, help="folder with flare/ and clear/")
    parser.add_argument(
        "--number", type=int, default=60, help="of scenes, and of photographs to ruin"
    )
    parser.add_argument("--skip", type=int, default=0, help="scenes at the beginning of the file")
    parser.add_argument("--only", choices=list(SCORERS), help="one scorer instead of all")
    parser.add_argument("--weights", type=Path, help="of a flare-score that is being trained")
    parser.add_argument("--verbose", action="store_true", help="which pairs and ruins went wrong")
    options = parser.parse_args()
    torch.set_num_threads(1)
    lines = []
    for name in [options.only] if options.only else list(SCORERS):
        if name == "none":
            continue
        try:
            judge = FlareScore(weights=options.weights) if options.weights else scorer(name)
        except WeightsMissingError:
            spent = milliseconds(torch.inference_mode()(Musiq().eval()), repeats=3)
            lines.append(f"| `{name}` | no weights here | – | – | {spent:.0f} |")
            continue
        lines.append(row(name, judge, options))
    print("| scorer | Spearman with PSNR | clean preferred | ruins preferred | ms at 512² |")
    print("| --- | --- | --- | --- | --- |", *lines, sep="\n")


if __name__ == "__main__":
    main()
