"""All scorers side by side on simulated and real pairs and on ruins, as Markdown tables.

    python tools/compare_scorers.py --scenes out/flare-score/held-out.npy --pairs REAL_PAIRS \\
        --strong STRONG_PAIRS --photos NIGHT --photos REAL_PAIRS/clear --learned BACKGROUNDS

`--scenes` is the file of held-out scenes that `tools/train_flare_score.py scenes` wrote; `--pairs`
a folder with `flare/` and `clear/` photographs of the same names, `--strong` one with `input/`,
`gt/` and `mask/` (white: not to be scored). Columns: Spearman correlation of the score with the
true PSNR over 14 restorations of each scene (mean over scenes), in how many pairs the clean
photograph wins, and milliseconds for a picture of 512 x 512. What is not given is not measured.

A second table says how many ruins are preferred to the clean photograph they were made from, kind
by kind (`ruins`): one of every kind is made from each of `--photos`.
Photographs that are in the folder `--learned` too are left out.
With `--flared`, each photograph is flared by the simulator, and a ruin of the clean one is compared
with it as a repository of labels compares them: beside the flared photo.
`--half choose` and `--half test` take one half each, by name: what chooses anything about a scorer
must not be what it is tested by.
"""

import argparse
import hashlib
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from restorations import draw_restorations, round_to_bytes, true_psnr
from ruins import TAUGHT, UNSEEN, ruins
from scipy.stats import spearmanr
from torch import Tensor

from semilar.flare import synthesize
from semilar.flare.presets import preset
from semilar.quality.scorers import SCORERS, score_beside, scorer
from semilar.quality.scorers.flare_score import FlareScore
from semilar.quality.scorers.musiq import Musiq
from semilar.weights import WeightsMissingError

RESTORATIONS = 14
VISIBLE_BELOW = 40.0  # dB: grey made of grey is no ruin
KINDS = TAUGHT | UNSEEN
Score = Callable[[Tensor], Tensor]


def read(path: Path, side: int | None = None) -> Tensor:
    """A photograph as (1, 3, H, W), encoded; its short side `side` at most."""
    with Image.open(path) as opened:
        photo = opened.convert("RGB")
    scale = side / min(photo.size) if side else 1
    if scale < 1:
        width, height = (round(length * scale) for length in photo.size)
        photo = photo.resize((width, height), Image.Resampling.LANCZOS)
    return torch.from_numpy(np.asarray(photo, np.float32).transpose(2, 0, 1) / 255)[None]


def held_out_scenes(file: Path, skip: int, number: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Flared and clean scenes, (1, 3, H, W) each, encoded."""
    for pair in np.load(file, mmap_mode="r")[skip : skip + number]:
        flared, clean = torch.from_numpy(pair.transpose(0, 3, 1, 2).astype(np.float32) / 255)
        yield flared[None], clean[None]


def correlation(score: Score, scenes: list[tuple[Tensor, Tensor]], *, beside: bool) -> float:
    """Mean over scenes of Spearman's rho between score and true PSNR of their restorations."""
    found = []
    for number, (flared, clean) in enumerate(scenes):
        random = np.random.default_rng(number)
        restored = draw_restorations(flared, clean, RESTORATIONS, random)
        photos = flared.expand_as(restored)
        scores = score_beside(score, restored, photos) if beside else score(restored)
        found.append(spearmanr(scores, true_psnr(restored, clean))[0])
    return float(np.mean(found))


def pairs(folder: Path) -> Iterator[tuple[str, Tensor, Tensor]]:
    """Name, flared and clean photograph, (1, 3, H, W) each, encoded."""
    for file in sorted((folder / "flare").iterdir()):
        yield file.name, read(file), read(folder / "clear" / file.name)


def strong_pairs(folder: Path) -> Iterator[tuple[str, Tensor, Tensor]]:
    """As `pairs`; what is masked looks in the clean photograph as it does in the flared one."""
    for file in sorted((folder / "input").iterdir()):
        flared, clean, mask = (read(folder / part / file.name) for part in ("input", "gt", "mask"))
        yield file.name, flared, torch.where(mask.amax(1, keepdim=True) > 0, flared, clean)


def gaps(score: Score, found: Iterator[tuple[str, Tensor, Tensor]]) -> dict[str, float]:
    """By how much each clean photograph scores above its flared partner."""
    return {name: (score(clean) - score(flared)).item() for name, flared, clean in found}


def photographs(options: argparse.Namespace) -> list[Path]:
    """Those of `--photos` that are of the wanted half and not in the folder `--learned`."""
    files = [file for folder in options.photos for file in sorted(folder.iterdir())]
    files = [file for file in files if options.half in (None, half(file))]
    if options.learned is None:
        return files[:: options.every]
    known = np.stack([thumbnail(file) for file in sorted(options.learned.glob("*.jpg"))])
    return [file for file in files if (known @ thumbnail(file)).max() < 0.98][:: options.every]


def half(file: Path) -> str:
    """Photographs choose, or test; which they do is in their names."""
    name = f"{file.parent.name}{file.name}"
    return "test" if hashlib.sha256(name.encode()).digest()[0] % 2 else "choose"


def thumbnail(file: Path) -> np.ndarray:
    """A photograph as a vector of length 1, whose products with others are correlations."""
    with Image.open(file) as opened:
        opened.draft("RGB", (96, 96))
        grey = np.asarray(opened.convert("L").resize((24, 16)), float).ravel()
    return (grey - grey.mean()) / (np.linalg.norm(grey - grey.mean()) + 1e-6)


def preferred_ruins(
    score: Score, files: list[Path], options: argparse.Namespace
) -> tuple[Counter[str], Counter[str]]:
    """How many ruins of each kind beat or equal their photograph, and how many can be seen."""
    wrong, tried = Counter[str](), Counter[str]()
    for number, file in enumerate(files):
        photo = read(file, options.side)
        known = score
        if options.flared:
            flared, photo = with_flare(photo, number)
            known = partial(score_beside, score, photos=flared)
        own = known(photo)
        for kind, ruin in ruins(photo, KINDS, number):
            if true_psnr(ruin, photo).item() < VISIBLE_BELOW:
                tried[kind] += 1
                wrong[kind] += int(known(ruin) >= own)
    return wrong, tried


def with_flare(photo: Tensor, number: int) -> tuple[Tensor, Tensor]:
    """A flared and a clean version of a photograph, (1, 3, H, W) each, encoded."""
    pixels = (photo[0].permute(1, 2, 0) * 255).round().byte().numpy()
    settings = replace(preset(("realistic", "strong")[number % 2]), flare_free=0.0)
    sample = synthesize(pixels, seed=number, settings=settings, size=pixels.shape[:2])
    pair = torch.from_numpy(np.stack([sample.input, sample.target]).transpose(0, 3, 1, 2))
    flared, clean = round_to_bytes(pair.float()).split(1)
    return flared, clean


def kind_table(wrong: dict[str, Counter[str]], tried: Counter[str]) -> Iterator[str]:
    """How often each scorer prefers a ruin, kind by kind."""
    yield "| kind | " + " | ".join(f"`{name}`" for name in wrong) + " | of |"
    yield "| --- |" + " --- |" * (len(wrong) + 1)
    for kinds, heading in ((TAUGHT, "that may be taught"), (UNSEEN, "kept for checking")):
        for kind in [*kinds, None]:
            members = list(kinds) if kind is None else [kind]
            cells = [sum(found[k] for k in members) for found in (*wrong.values(), tried)]
            name = f"**all {len(kinds)} kinds {heading}**" if kind is None else kind
            yield f"| {name} | " + " | ".join(map(str, cells)) + " |"


def milliseconds(score: Score, repeats: int = 7) -> float:
    """Median time for one picture of 512 x 512."""
    picture, spent = torch.rand(1, 3, 512, 512), []
    for _ in range(repeats):
        start = time.perf_counter()
        score(picture)
        spent.append(time.perf_counter() - start)
    return 1000 * statistics.median(spent)


def row(name: str, score: Score, options: argparse.Namespace) -> str:
    """One line of the table; what went wrong in detail goes to the lines before it."""
    cells = []
    if options.scenes:
        scenes = list(held_out_scenes(options.scenes, options.skip, options.number))
        found = [correlation(score, scenes, beside=beside) for beside in (False, True)]
        cells.append(f"{found[0]:.3f}, beside {found[1]:.3f} ({len(scenes)} scenes)")
    for folder, kind in ((options.pairs, pairs), (options.strong, strong_pairs)):
        found = gaps(score, kind(folder)) if folder else {}
        cells.append(f"{sum(gap > 0 for gap in found.values())} of {len(found)}")
        if options.verbose:
            print(name, "wrong pairs:", {k: round(v, 2) for k, v in found.items() if v <= 0})
    return f"| `{name}` | {' | '.join(cells)} | {milliseconds(score):.0f} |"


def chosen_scorers(options: argparse.Namespace) -> Iterator[tuple[str, Score]]:
    """Names and scorers; MUSIQ without its weights only for its time."""
    for name in [options.only] if options.only else [name for name in SCORERS if name != "none"]:
        try:
            yield name, FlareScore(weights=options.weights) if options.weights else scorer(name)
        except WeightsMissingError:
            spent = milliseconds(torch.inference_mode()(Musiq().eval()), repeats=3)
            print(f"{name}: no weights here; {spent:.0f} ms at 512 x 512")


def main() -> None:
    options = parse()
    torch.set_num_threads(1)
    files = photographs(options)
    lines, wrong, tried = [], {}, Counter[str]()
    for name, score in chosen_scorers(options):
        lines.append(row(name, score, options))
        wrong[name], tried = preferred_ruins(score, files, options)
    heads = ["Spearman with PSNR"] * bool(options.scenes) + ["clean preferred", "strong pairs"]
    print("| scorer |", *[f"{head} |" for head in heads], "ms at 512² |")
    print("| --- |" + " --- |" * (len(heads) + 1), *lines, sep="\n")
    if files:
        print(
            f"\nRuins preferred, {len(files)} photographs:\n", *kind_table(wrong, tried), sep="\n"
        )


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--scenes", type=Path, help="held-out.npy")
    parser.add_argument("--skip", type=int, default=0, help="scenes at the beginning of the file")
    parser.add_argument("--number", type=int, default=60, help="of scenes")
    parser.add_argument("--pairs", type=Path, help="folder with flare/ and clear/")
    parser.add_argument("--strong", type=Path, help="folder with input/, gt/ and mask/")
    parser.add_argument(
        "--photos", type=Path, action="append", default=[], help="folder of clean photographs"
    )
    parser.add_argument("--learned", type=Path, help="folder whose photographs are left out")
    parser.add_argument("--half", choices=["choose", "test"], help="of the photographs; or all")
    parser.add_argument("--every", type=int, default=1, help="take one photograph in so many")
    parser.add_argument("--side", type=int, default=512, help="short side of a ruined photograph")
    parser.add_argument("--flared", action="store_true", help="score ruins beside a flared photo")
    parser.add_argument("--only", choices=list(SCORERS), help="one scorer instead of all")
    parser.add_argument("--weights", type=Path, help="of a flare-score that is being trained")
    parser.add_argument("--verbose", action="store_true", help="which pairs went wrong")
    return parser.parse_args()


if __name__ == "__main__":
    main()
