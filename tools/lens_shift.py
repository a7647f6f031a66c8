"""Lens shift: labels simulated with one lens, unlabeled photos from another, test on the second.

    python tools/lens_shift.py --backgrounds PHOTOS --out out/lens-shift

Supervised training and semi-supervised training share everything up to the step where unlabeled
photos come in: the second goes on from a copy of the first one's checkpoint. Writes `table.md` and
`figures.json` to the folder. A second call takes up what an earlier one left unfinished.
"""

import argparse
import json
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from semilar.data.photos import PhotoCache
from semilar.evaluate.statistics import bootstrap_means, interval
from semilar.flare import SynthSettings, synthesize
from semilar.photo import find_photos
from semilar.quality import psnr, region_psnr, ssim
from semilar.semi.report import stats
from semilar.semi.shards import MergedRepository
from semilar.train.checkpoint import load_newest, saved_steps
from semilar.train.display import Silent
from semilar.train.network import build_net
from semilar.train.recipe import Recipe
from semilar.train.recipe_file import load_recipe
from semilar.train.start import train
from semilar.train.validation import restore

RECIPE = "lens-shift"
METRICS = ("psnr", "ssim", "glare", "streak")
SIZE = (72, 96)


@dataclass(frozen=True)
class FlaredPair:
    """A simulated pair: encoded 8-bit pictures and the region mask."""

    input: np.ndarray
    target: np.ndarray
    mask: np.ndarray


class Lines(Silent):
    """Prints what a run says."""

    def say(self, text: str) -> None:
        """Print it."""
        print(text, flush=True)


def split(backgrounds: Path) -> dict[str, list[Path]]:
    """Three disjoint thirds of the photographs: labels, unlabeled photos, test."""
    paths = find_photos(backgrounds)
    order = np.random.default_rng(0).permutation(len(paths))
    parts = np.array_split(order, 3)
    named = dict(zip(("labels", "photos", "test"), parts, strict=True))
    return {name: [paths[i] for i in sorted(part)] for name, part in named.items()}


def write_pictures(folder: Path, pictures: list[np.ndarray]) -> None:
    """PNG files, numbered."""
    folder.mkdir(parents=True, exist_ok=True)
    for i, picture in enumerate(pictures):
        Image.fromarray(picture).save(folder / f"{i:03d}.png")


def make_data(out: Path, options: argparse.Namespace) -> list[FlaredPair]:
    """Labels, unlabeled photos and test pairs on disk, once; gives the test pairs."""
    parts = split(options.backgrounds)
    if not (out / "photos").exists():
        labels = flared(parts["labels"], options.labels, lens="lens-a", seed=0)
        write_pictures(out / "labels" / "input", [pair.input for pair in labels])
        write_pictures(out / "labels" / "gt", [pair.target for pair in labels])
        photos = flared(parts["photos"], options.photos, lens="lens-b", seed=10_000)
        write_pictures(out / "photos", [pair.input for pair in photos])
    if not (out / "test").exists():
        tests = flared(parts["test"], options.tests, lens="lens-b", seed=20_000)
        for part in ("input", "target", "mask"):
            write_pictures(out / "test" / part, [getattr(pair, part) for pair in tests])
    return read_pairs(out / "test")


def read_pairs(folder: Path) -> list[FlaredPair]:
    """Pairs that `write_pictures` wrote."""
    parts = [sorted((folder / part).iterdir()) for part in ("input", "target", "mask")]
    return [
        FlaredPair(*(np.asarray(Image.open(p)) for p in row)) for row in zip(*parts, strict=True)
    ]


def flared(paths: list[Path], count: int, *, lens: str, seed: int) -> list[FlaredPair]:
    """`count` pictures of a lens over photographs."""
    photos = PhotoCache(paths, side=144)
    settings = SynthSettings.preset(lens)
    pairs = []
    for i in range(count):
        made = synthesize(photos(i % len(paths)), seed=seed + i, settings=settings, size=SIZE)
        spoiled, clean = (np.rint(255 * x).astype(np.uint8) for x in (made.input, made.target))
        pairs.append(FlaredPair(spoiled, clean, made.mask))
    return pairs


def recipe_for(
    out: Path, run: str, seed: int, *, semi: bool, options: argparse.Namespace
) -> Recipe:
    """The recipe of one run."""
    changes = [
        f"run={out / run}",
        f"seed={seed}",
        f"labeled.folder={out / 'labels'}",
        f"semi.photos.folder={out / 'photos'}",
        *options.changes,
    ]
    recipe = load_recipe(RECIPE, changes)
    return recipe if semi else recipe.model_copy(update={"semi": None})


def run_pair(out: Path, seed: int, options: argparse.Namespace) -> dict[str, Recipe]:
    """Train both ways from one seed."""
    plain = recipe_for(out, f"supervised-{seed}", seed, semi=False, options=options)
    semi = recipe_for(out, f"semi-{options.name}-{seed}", seed, semi=True, options=options)
    assert semi.semi is not None
    branch = round(semi.semi.start_epoch * options.labels / plain.stages[0].batch)
    shared = out / f"shared-{seed}"
    if not shared.exists():
        stub = plain.model_copy(update={"checkpoint_every": branch, "checkpoints_kept": 10})
        _train(stub)
        _branch(plain.run, shared, branch)
    if not semi.run.exists():
        shutil.copytree(shared, semi.run)
    _train(semi)
    return {"supervised": plain, options.name: semi}


def _branch(run: Path, copy: Path, step: int) -> None:
    """A run folder as it was at an earlier checkpoint."""
    shutil.copytree(run, copy)
    for saved in (copy / "checkpoints").iterdir():
        if int(saved.stem.removeprefix("step-")) != step:
            saved.unlink()


def _train(recipe: Recipe) -> None:
    resume = bool(saved_steps(recipe.run / "checkpoints"))
    if not resume:  # what was stopped before its first checkpoint starts again
        shutil.rmtree(recipe.run, ignore_errors=True)
    train(recipe, resume=resume, display=Lines())


def measure(recipe: Recipe, pairs: list[FlaredPair]) -> dict[str, list[float]]:
    """Metrics of the averaged weights on every test pair; of the input where there is no run."""
    checkpoint, _ = load_newest(recipe.run / "checkpoints")
    net = build_net(recipe)
    net.load_state_dict(checkpoint.teacher)
    net.eval()
    with torch.no_grad():
        return figures([restore(net, pair.input, torch.device("cpu")) for pair in pairs], pairs)


def figures(outputs: list[np.ndarray], pairs: list[FlaredPair]) -> dict[str, list[float]]:
    """Every metric of every output; a picture without a region has no figure for it (NaN)."""
    rows: dict[str, list[float]] = {name: [] for name in METRICS}
    for output, pair in zip(outputs, pairs, strict=True):
        regions = region_psnr(output, pair.target, pair.mask)
        rows["psnr"].append(min(psnr(output, pair.target), 50.0))
        rows["ssim"].append(ssim(output, pair.target))
        for name in ("glare", "streak"):
            value = getattr(regions, name)
            rows[name].append(np.nan if value is None else min(value, 50.0))
    return rows


def table(results: dict[str, list[dict[str, list[float]]]]) -> str:
    """Means over seeds and pictures, with 95 % bootstrap intervals over pictures."""
    lines = ["| training | PSNR | SSIM | G-PSNR | S-PSNR |", "| --- | --- | --- | --- | --- |"]
    for name, runs in results.items():
        cells = []
        for metric in METRICS:
            rows = np.array([run[metric] for run in runs])
            values = rows[:, ~np.isnan(rows).any(axis=0)].mean(axis=0)
            digits = 4 if metric == "ssim" else 2
            if not len(values):
                cells.append("–")
                continue
            low, high = interval(bootstrap_means(values[:, None])[:, 0])
            cells.append(f"{values.mean():.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def gains(results: dict[str, list[dict[str, list[float]]]], name: str) -> str:
    """What a variant changes against supervised training, picture by picture, with intervals."""
    lines = []
    for metric in METRICS:
        plain, other = (
            np.mean([run[metric] for run in results[row]], axis=0) for row in ("supervised", name)
        )
        values = (other - plain)[~np.isnan(other - plain)]
        if len(values):
            low, high = interval(bootstrap_means(values[:, None])[:, 0])
            lines.append(f"{metric}: {values.mean():+.4f} [{low:+.4f}, {high:+.4f}]")
    return "\n".join(lines)


def by_seed(results: dict[str, list[dict[str, list[float]]]]) -> str:
    """PSNR of each seed, so that the spread between runs can be seen."""
    lines = []
    for name, runs in results.items():
        means = ", ".join(f"{np.mean(run['psnr']):.2f}" for run in runs)
        lines.append(f"{name}: {means}")
    return "\n".join(lines)


def main() -> None:
    """Make the data, train, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--backgrounds", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("out/lens-shift"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", type=int, help="one seed alone, to run several side by side")
    parser.add_argument("--labels", type=int, default=400)
    parser.add_argument("--photos", type=int, default=100)
    parser.add_argument("--tests", type=int, default=48)
    parser.add_argument("--name", default="semi", help="name of this variant of the semi part")
    parser.add_argument("changes", nargs="*", help="changes to the recipe, key=value")
    options = parser.parse_args()
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    pairs = make_data(out, options)
    results = {"untouched input": [figures([pair.input for pair in pairs], pairs)]}
    for seed in [options.only] if options.only else range(1, options.seeds + 1):
        for name, recipe in run_pair(out, seed, options).items():
            results.setdefault(name, []).append(measure(recipe, pairs))
            if recipe.semi is not None:
                found = stats(MergedRepository(recipe.run))
                print(f"seed {seed} {name}: {json.dumps(asdict(found))}", flush=True)
        if options.only:
            continue
        text = (
            f"{table(results)}\n\nPSNR by seed\n{by_seed(results)}\n"
            f"\n{options.name} against supervised\n{gains(results, options.name)}\n"
        )
        (out / f"table-{options.name}.md").write_text(text, encoding="utf-8")
        print(text, flush=True)
    if not options.only:
        (out / f"figures-{options.name}.json").write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
