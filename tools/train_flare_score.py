"""Train `flare-score` on simulated restorations and put it into the package.

    python tools/train_flare_score.py scenes --backgrounds PHOTOS --work out/flare-score
    python tools/train_flare_score.py train --work out/flare-score
    python tools/train_flare_score.py publish --backgrounds PHOTOS --work out/flare-score

`scenes` spoils crops of free photographs with simulated flares (one photograph in ten is held out
by name). `train` teaches the network to guess the PSNR of restorations made from them, and above
all their order within one scene; it can be stopped and started again. `publish` writes the weights
and their card. Real flare photographs are never read here: see `tools/compare_scorers.py`.
"""

import argparse
import copy
import csv
import hashlib
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from rich.progress import track
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from semilar.files import atomic_path, write_text
from semilar.flare import synthesize
from semilar.flare.presets import preset
from semilar.quality.scorers.flare_score import FlareScoreNet, decibels
from semilar.quality.scorers.restorations import draw_restorations, true_psnr

SIDE = 384  # of a stored scene
CROP = 160  # of a training picture: the network is convolutional, small crops teach it faster
SCENES, VARIANTS = 3, 7  # in one batch
PRESETS = ["realistic", "strong", "strong", "lens-a", "strong", "lens-b", "realistic"]
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
    """A flared and a clean view of `photo`: (2, SIDE, SIDE, 3) uint8, encoded."""
    with Image.open(photo) as opened:
        picture = np.asarray(opened.convert("RGB"))
    settings = replace(preset(PRESETS[seed % len(PRESETS)]), flare_free=0.0)
    sample = synthesize(picture, seed=seed, settings=settings, size=(SIDE, SIDE))
    return np.rint(np.stack([sample.input, sample.target]) * 255).astype(np.uint8)


def as_picture(pixels: np.ndarray) -> Tensor:
    """(..., H, W, 3) uint8 -> (..., 3, H, W) floats, both encoded."""
    return torch.from_numpy(np.moveaxis(pixels, -1, -3).astype(np.float32) / 255)


def draw_view(scene: np.ndarray, random: np.random.Generator) -> tuple[Tensor, Tensor]:
    """A square CROP out of a stored scene, flared and clean, (1, 3, CROP, CROP) each, encoded."""
    side = int(random.integers(CROP, SIDE + 1))
    top, left = random.integers(SIDE - side + 1, size=2)
    pair = as_picture(scene[:, top : top + side, left : left + side])
    pair = functional.interpolate(pair, size=(CROP, CROP), mode="bilinear", antialias=True)
    pair = pair.flip(-1) if random.random() < 0.5 else pair
    # Exposure and curve of the camera: day turns into dusk, dusk into night.
    pair = (pair * random.uniform(0.6, 1.1)).clamp(0, 1) ** random.uniform(0.8, 1.8)
    return pair[:1], pair[1:]


def losses(net: FlareScoreNet, pictures: Tensor, clean: Tensor) -> dict[str, Tensor]:
    """Errors of the cells, of the score, and of the order; pictures (S, V, 3, H, W)."""
    scenes, variants = pictures.shape[:2]
    flat, truth = pictures.flatten(0, 1), clean.repeat_interleave(variants, 0)
    guessed = net(flat.contiguous(memory_format=torch.channels_last))
    cells = functional.avg_pool2d((flat - truth).square().mean(1, keepdim=True), 8)[:, 0]
    score = decibels(guessed).view(scenes, variants)
    psnr = true_psnr(flat, truth).view(scenes, variants)
    gap, true_gap = (x[:, :, None] - x[:, None, :] for x in (score, psnr))
    order = functional.softplus(-gap * true_gap.sign()) * (true_gap.abs() / 3).clamp(max=1)
    return {
        "cells": functional.smooth_l1_loss(guessed, torch.log10(cells + 1e-5), beta=0.3),
        "score": functional.smooth_l1_loss(score / 10, psnr / 10, beta=0.2),
        "order": order.mean(),
    }


def train(work: Path, steps: int, minutes_between_saves: float = 3) -> None:
    """Train from scratch or go on; writes `last.pt` and `net.safetensors` (averaged weights)."""
    scenes = np.load(work / "train.npy", mmap_mode="r")
    torch.manual_seed(0)
    net = FlareScoreNet().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    average = copy.deepcopy(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
    warm, rest = min(200, steps // 10), steps
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer,
        lambda t: min((t + 1) / warm, 0.5 * (1 + np.cos(np.pi * min(1, t / rest))) + 0.005),
    )
    parts = {"net": net, "average": average, "optimizer": optimizer, "schedule": schedule}
    start, saved = 0, time.monotonic()
    if (work / "last.pt").exists():
        state = torch.load(work / "last.pt", weights_only=True)
        start = state.pop("step")
        for name, part in parts.items():
            part.load_state_dict(state[name])
    means: dict[str, float] = {}
    for step in range(start, steps):
        found = one_step(net, scenes, optimizer, np.random.default_rng([step, 7]))
        schedule.step()
        blend(average, net, min(0.998, 1 - 1 / (step - start + 2)) if start == 0 else 0.998)
        means = {k: 0.98 * means.get(k, v) + 0.02 * v for k, v in found.items()}
        if step % 50 == 0:
            print(step, {k: round(v, 4) for k, v in means.items()}, flush=True)
        if step == steps - 1 or time.monotonic() - saved > 60 * minutes_between_saves:
            saved = time.monotonic()
            with atomic_path(work / "last.pt") as path:
                torch.save({"step": step + 1} | {k: p.state_dict() for k, p in parts.items()}, path)
            with atomic_path(work / "net.safetensors") as path:
                save_file({k: v.contiguous() for k, v in average.state_dict().items()}, path)


def one_step(
    net: FlareScoreNet,
    scenes: np.ndarray,
    optimizer: torch.optim.Optimizer,
    random: np.random.Generator,
) -> dict[str, float]:
    """One batch of SCENES scenes in VARIANTS restorations each; what the losses were."""
    views = [draw_view(scenes[i], random) for i in random.integers(len(scenes), size=SCENES)]
    pictures = torch.stack([draw_restorations(*view, VARIANTS, random) for view in views])
    found = losses(net.train(), pictures, torch.cat([clean for _, clean in views]))
    optimizer.zero_grad()
    (found["cells"] + found["score"] + found["order"]).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    return {name: value.item() for name, value in found.items()}


@torch.no_grad()
def blend(average: torch.nn.Module, net: torch.nn.Module, keep: float) -> None:
    """Move the averaged weights a little; whole numbers (batch counters) are copied."""
    for mean, value in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
        mean.lerp_(value, 1 - keep) if mean.is_floating_point() else mean.copy_(value)


def publish(backgrounds: Path, work: Path) -> None:
    """Put the averaged weights, in half precision, and their card into the package."""
    net = FlareScoreNet()
    net.load_state_dict(load_file(work / "net.safetensors"))
    halves = {
        name: tensor.half() if tensor.is_floating_point() else tensor
        for name, tensor in net.state_dict().items()
    }
    with atomic_path(BUNDLED / "flare-score.safetensors") as path:
        save_file(halves, path)
    digest = hashlib.sha256((BUNDLED / "flare-score.safetensors").read_bytes()).hexdigest()
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
    parser.add_argument("job", choices=["scenes", "train", "publish"])
    parser.add_argument("--backgrounds", type=Path, help="folder of free photographs")
    parser.add_argument("--work", type=Path, default=Path("out/flare-score"))
    parser.add_argument("--scenes", type=int, default=1200)
    parser.add_argument("--steps", type=int, default=2600)
    options = parser.parse_args()
    if options.job == "train":
        train(options.work, options.steps)
    elif options.backgrounds is None:
        parser.error("--backgrounds is needed for this")
    elif options.job == "scenes":
        make_scenes(options.backgrounds, options.work, options.scenes)
    else:
        publish(options.backgrounds, options.work)


if __name__ == "__main__":
    main()
