"""Train `flare-score` on simulated restorations and put it into the package.

    python tools/train_flare_score.py scenes --backgrounds PHOTOS --work out/flare-score
    python tools/train_flare_score.py samples --work out/flare-score
    python tools/train_flare_score.py train --work out/flare-score
    python tools/train_flare_score.py publish --backgrounds PHOTOS --work out/flare-score

`scenes` spoils free photographs with simulated flares (one photograph in ten is held out by name).
`samples` makes restorations of them, from perfect to ruined, and measures them once and for all.
`train` teaches the network to guess their PSNR, and above all their order within one scene.
`publish` writes the weights and their card. PHOTOS has its list beside it (PHOTOS.csv: file,
author, licence, link, source). Real flare photographs are never read here: `compare_scorers.py`
does that.
"""

import argparse
import csv
import hashlib
import json
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from flare_measure import VISIBLE_BELOW
from PIL import Image
from restorations import (
    draw_restorations,
    gaussian,
    restore,
    round_to_bytes,
    true_psnr,
)
from rich.progress import track
from safetensors.torch import load_file, save
from torch import Tensor, nn
from torch.nn import functional

from semilar.files import atomic_path, write_bytes, write_text
from semilar.flare import synthesize
from semilar.flare.presets import preset
from semilar.quality.scorers.cues import CELL, Cues
from semilar.quality.scorers.flare_score import BLOCK, ErrorEstimator, FlareScoreNet, score

SIDE = 384  # of a stored scene
WORKING = 320  # of a whole scene at the working size
VARIANTS = 7  # restorations of one scene, beside the next two
RESIDUES = (0.25, 0.5, 0.75)  # of the flare, left over everywhere
BLURS = ((0.6, 1.2), (1.2, 2.5), (2.5, 9.0))  # from and to, standard deviation in pixels
BATCH = 5  # scenes
PRESETS = ["realistic", "smeared", "strong", "smeared", "lens-a", "smeared", "lens-b"]
OTHER_FLARE = 10**6
BUNDLED = Path(__file__).parents[1] / "src/semilar/weights/bundled"


def held_out(photo: Path) -> bool:
    """One photograph in ten, by its name, is kept for checking."""
    return hashlib.sha256(photo.name.encode()).digest()[0] % 10 == 0


def make_scenes(backgrounds: Path, work: Path, count: int) -> None:
    """Write `train.npy` and `held-out.npy`: (N, flared and clean, SIDE, SIDE, 3) uint8, encoded."""
    photos = sorted(backgrounds.glob("*.jpg"))
    work.mkdir(parents=True, exist_ok=True)
    for part, kept, number in (("held-out", True, count // 10), ("train", False, count)):
        chosen = [photo for photo in photos if held_out(photo) == kept]
        with atomic_path(work / f"{part}.npy") as path:
            shape = (number, 2, SIDE, SIDE, 3)
            scenes = np.lib.format.open_memmap(path, mode="w+", dtype=np.uint8, shape=shape)
            for index in track(range(number), description=part):
                scenes[index] = make_scene(chosen[index % len(chosen)], 2 * index + kept)
            scenes.flush()


def make_scene(photo: Path, seed: int) -> np.ndarray:
    """A flared and a clean version of `photo`: (2, SIDE, SIDE, 3) uint8, encoded.

    Where the flare cannot be seen, there is nothing to restore and no order to learn: another
    flare is drawn.
    """
    with Image.open(photo) as opened:
        picture = np.asarray(opened.convert("RGB"))
    settings = replace(preset(PRESETS[seed % len(PRESETS)]), flare_free=0.0)
    while True:
        sample = synthesize(picture, seed=seed, settings=settings, size=(SIDE, SIDE))
        scene = np.rint(np.stack([sample.input, sample.target]) * 255).astype(np.uint8)
        pair = as_picture(scene)
        if true_psnr(pair[:1], pair[1:]).item() < VISIBLE_BELOW:
            return scene
        seed += OTHER_FLARE


def as_picture(pixels: np.ndarray) -> Tensor:
    """(..., H, W, 3) uint8 -> (..., 3, H, W) floats, both encoded."""
    return torch.from_numpy(np.moveaxis(pixels, -1, -3).astype(np.float32) / 255)


def draw_crop(scene: np.ndarray, crop: int, random: np.random.Generator) -> tuple[Tensor, Tensor]:
    """A square out of a stored scene, flared and clean, (1, 3, crop, crop) each, encoded."""
    side = int(random.integers(WORKING, SIDE + 1))  # never enlarged: soft is what blurred is
    top, left = random.integers(SIDE - side + 1, size=2)
    pair = as_picture(scene[:, top : top + side, left : left + side])
    pair = functional.interpolate(pair, size=(WORKING, WORKING), mode="bilinear", antialias=True)
    # A smaller crop shows the strongest flare somewhere in it.
    strongest = int((pair[0] - pair[1]).mean(0).argmax())
    top, left = (
        min(max(0, int(place - random.uniform(0.2, 0.8) * crop)), WORKING - crop)
        for place in divmod(strongest, WORKING)
    )
    pair = pair[..., top : top + crop, left : left + crop]
    # The curve of the camera. Not its gain: a light source that no longer clips is what tells a
    # darkened picture from a dark scene.
    pair = pair.clamp(0, 1) ** random.uniform(0.8, 1.5)
    return pair[:1], pair[1:]


def residues(flared: Tensor, clean: Tensor) -> list[Tensor]:
    """What the score is for, in order, shown with every scene: encoded, as `clean`."""
    amounts = torch.tensor(RESIDUES)[:, None]
    made = (restore(flared, clean, "residual", k, torch.Generator()) for k in amounts)
    return [round_to_bytes(picture) for picture in made]


def blurred(clean: Tensor, random: np.random.Generator) -> list[Tensor]:
    """The ruin hardest to see, slightly to strongly, shown with every scene: encoded, as `clean`.

    Lenses blur light and programs blur its encoding; not every ruin was rounded to 8 bits.
    """
    made = []
    for narrowest, widest in BLURS:
        sigma = float(np.exp(random.uniform(np.log(narrowest), np.log(widest))))
        linear = gaussian(clean.square(), sigma).sqrt()
        picture = linear if random.random() < 0.4 else gaussian(clean, sigma)
        made.append(round_to_bytes(picture) if random.random() < 0.5 else picture)
    return made


def sample_type(crop: int) -> np.dtype:
    """What is known of the restorations of one scene: cues, errors of blocks, PSNR."""
    number = VARIANTS + len(RESIDUES) + len(BLURS)
    cells, blocks = crop // CELL, crop // BLOCK
    return np.dtype(
        [
            ("cues", np.float16, (number, Cues.count, cells, cells)),
            ("errors", np.float32, (number, blocks, blocks)),
            ("psnr", np.float32, (number,)),
        ]
    )


@torch.inference_mode()
def measure(work: Path, crop: int, draw: int) -> None:
    """Write `samples-DRAW.npy`, one `sample_type` for each scene.

    Another `draw` shows other parts of the scenes, restored in other ways.
    """
    torch.set_num_threads(1)
    scenes = np.load(work / "train.npy", mmap_mode="r")
    kind, cues = sample_type(crop), Cues()
    with atomic_path(work / f"samples-{draw:02d}.npy") as path:
        samples = np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=(len(scenes),))
        for number, scene in enumerate(track(scenes, description=f"restorations, draw {draw}")):
            random = np.random.default_rng([number, draw])
            flared, clean = draw_crop(scene, crop, random)
            restored = draw_restorations(flared, clean, VARIANTS, random)
            pictures = torch.cat([restored, *residues(flared, clean), *blurred(clean, random)])
            squares = (pictures - clean).square().mean(1, keepdim=True)
            samples["cues"][number] = cues(pictures).half().numpy()
            samples["errors"][number] = functional.avg_pool2d(squares, BLOCK)[:, 0].numpy()
            samples["psnr"][number] = true_psnr(pictures, clean).numpy()
        samples.flush()


def losses(guessed: Tensor, scores: Tensor, errors: Tensor, psnr: Tensor) -> Tensor:
    """Errors of the blocks, of the score, of the order, and a blurred picture that wins.

    guessed, errors: (S * V, h, w), log10 and plain; scores, psnr: (S, V), V restorations of each
    scene, the clean scene first and blurred ones last.
    """
    gap, true_gap = (x[:, :, None] - x[:, None, :] for x in (scores, psnr))
    order = functional.softplus(-gap * true_gap.sign()) * (true_gap.abs() / 3).clamp(max=1)
    blocks = functional.smooth_l1_loss(guessed, torch.log10(errors + 1e-5), beta=0.3)
    whole = functional.smooth_l1_loss(scores / 10, psnr / 10, beta=0.2)
    sharp = functional.softplus(2 - 2 * (scores[:, :1] - scores[:, -len(BLURS) :])).mean()
    # The order is what the score is for, and a blurred photograph must never win; the other two
    # keep the score in decibels.
    return blocks + whole + 12 * order.mean() + 4 * sharp


def train(work: Path, steps: int, rate: float, init: Path | None, jobs: int) -> None:
    """Fit all estimators to all `samples-*.npy`, `jobs` at a time; writes `net.safetensors`.

    They begin with those of the folder `init`, or with nothing. An estimator that is there already,
    as `estimator-NUMBER.safetensors`, is not trained again.
    """
    net = FlareScoreNet()
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        numbers = range(len(net.estimators))
        trained = [pool.submit(train_estimator, n, work, steps, rate, init) for n in numbers]
        for estimator, weights in zip(net.estimators, trained, strict=True):
            estimator.load_state_dict(weights.result())
    write_bytes(work / "net.safetensors", save(net.state_dict()))


def train_estimator(
    number: int, work: Path, steps: int, rate: float, init: Path | None
) -> dict[str, Tensor]:
    """Fit one estimator to samples that it draws for itself; its weights."""
    target = work / f"estimator-{number}.safetensors"
    if target.exists():
        return load_file(target)
    torch.set_num_threads(1)
    torch.manual_seed(number)
    random = np.random.default_rng(number)
    files = [np.load(file, mmap_mode="r") for file in sorted(work.glob("samples-*.npy"))]
    estimator = new_estimator(files[0]) if init is None else ErrorEstimator()
    if init is not None:
        estimator.load_state_dict(load_file(init / target.name))
    estimator = estimator.train().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimizer = torch.optim.AdamW(estimator.parameters(), lr=rate, weight_decay=0.02)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, steps, pct_start=0.05)
    started = time.monotonic()
    for step in range(1, steps + 1):
        cues, errors, psnr = draw_samples(files[random.integers(len(files))], random)
        guessed = estimator(cues)
        loss = losses(guessed, score(guessed, cues).view_as(psnr), errors, psnr)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(estimator.parameters(), 5.0)
        optimizer.step()
        cycle.step()
        if step % 250 == 0 or step == steps:
            left = (time.monotonic() - started) * (steps / step - 1) / 60
            print(f"estimator {number}: {step} of {steps}, {loss.item():.3f}, {left:.0f} min left")
    weights = {name: tensor.contiguous() for name, tensor in estimator.state_dict().items()}
    write_bytes(target, save(weights))
    return weights


def new_estimator(samples: np.ndarray) -> ErrorEstimator:
    """An estimator that knows how cues usually are, and nothing else."""
    estimator = ErrorEstimator()
    sample = torch.from_numpy(samples["cues"][:100].astype(np.float32))
    estimator.usual.copy_(sample.mean((0, 1, 3, 4)))
    estimator.spread.copy_(sample.std((0, 1, 3, 4)) + 1e-3)
    return estimator


def draw_samples(samples: np.ndarray, random: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Cues, errors and PSNR of the restorations of a few scenes, turned and mirrored."""
    chosen = samples[np.sort(random.choice(len(samples), BATCH, replace=False))]
    mirrored, turned = random.integers(2, size=2), random.integers(2)
    maps = []
    for name in ("cues", "errors"):
        found = torch.from_numpy(chosen[name].astype(np.float32)).flatten(0, 1)
        found = found.flip([-1 - axis for axis in range(2) if mirrored[axis]])
        maps.append(found.mT if turned else found)
    cues, errors = maps
    cues = cues.contiguous(memory_format=torch.channels_last)
    return cues, errors, torch.from_numpy(chosen["psnr"].copy())


def publish(backgrounds: Path, work: Path) -> None:
    """Put the weights, in half precision, and their card into the package."""
    net = FlareScoreNet()
    net.load_state_dict(load_file(work / "net.safetensors"))
    halves = {
        name: tensor.half() if tensor.is_floating_point() else tensor
        for name, tensor in net.state_dict().items()
    }
    content = save(halves)
    write_bytes(BUNDLED / "flare-score.safetensors", content)
    digest = hashlib.sha256(content).hexdigest()
    with backgrounds.with_suffix(".csv").open() as file:
        rows = {row["file"]: row for row in csv.DictReader(file)}
    used = [p for p in sorted(backgrounds.glob("*.jpg")) if not held_out(p)]
    card = {
        "name": "flare-score",
        "purpose": "scores one picture for residual flare, haze and damage, in decibels",
        "licence": "Apache-2.0",
        "sha256": {"flare-score.safetensors": digest},
        "parameters": sum(p.numel() for p in net.parameters()),
        "recipe": "tools/train_flare_score.py",
        "photographs": [
            {k: rows[p.name][k] for k in ("file", "author", "licence", "link", "source")}
            for p in used
        ],
    }
    write_text(BUNDLED / "flare-score.json", json.dumps(card, indent=1, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("job", choices=["scenes", "samples", "train", "publish"])
    parser.add_argument("--backgrounds", type=Path, help="folder of free photographs")
    parser.add_argument("--work", type=Path, default=Path("out/flare-score"))
    parser.add_argument("--scenes", type=int, default=2000, help="how many")
    parser.add_argument("--draw", type=int, default=0, help="number of this pass (samples)")
    parser.add_argument("--crop", type=int, default=WORKING, help="side of a picture (samples)")
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--rate", type=float, default=2e-3, help="highest learning rate")
    parser.add_argument("--init", type=Path, help="folder of estimators to begin with (train)")
    parser.add_argument("--jobs", type=int, default=2, help="estimators to train at a time")
    options = parser.parse_args()
    if options.job == "samples":
        measure(options.work, options.crop, options.draw)
    elif options.job == "train":
        train(options.work, options.steps, options.rate, options.init, options.jobs)
    elif options.backgrounds is None:
        parser.error("--backgrounds is needed for this")
    elif options.job == "scenes":
        make_scenes(options.backgrounds, options.work, options.scenes)
    else:
        publish(options.backgrounds, options.work)


if __name__ == "__main__":
    main()
