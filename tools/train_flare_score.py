"""Train `flare-score` on simulated restorations and put it into the package.

    python tools/train_flare_score.py scenes --backgrounds PHOTOS --work out/flare-score
    python tools/train_flare_score.py cues --work out/flare-score
    python tools/train_flare_score.py train --work out/flare-score
    python tools/train_flare_score.py publish --backgrounds PHOTOS --work out/flare-score

`scenes` spoils free photographs with simulated flares (one photograph in ten is held out by name).
`cues` makes restorations of them, from perfect to ruined, and measures them once and for all.
`train` teaches the network to guess their PSNR, and above all their order within one scene.
`publish` writes the weights and their card. PHOTOS has its list beside it (PHOTOS.csv: file,
author, licence, link, source). Real flare photographs are never read here: `compare_scorers.py`
does that.
"""

import argparse
import csv
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from rich.progress import track
from safetensors.torch import load_file, save
from torch import Tensor, nn
from torch.nn import functional

from semilar.files import atomic_path, write_bytes, write_text
from semilar.flare import synthesize
from semilar.flare.measure import VISIBLE_BELOW
from semilar.flare.presets import preset
from semilar.quality.scorers.cues import CELL
from semilar.quality.scorers.flare_score import FlareScoreNet, decibels
from semilar.quality.scorers.restorations import draw_restorations, restore, true_psnr

SIDE = 384  # of a stored scene
WORKING = 320  # of a whole scene at the working size
VARIANTS = 5  # restorations of one scene, beside a slightly blurred one
BATCH = 6  # scenes
PRESETS = ["realistic", "strong", "strong", "lens-a", "strong", "lens-b", "realistic"]
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
    """A flared and a clean view of `photo`: (2, SIDE, SIDE, 3) uint8, encoded.

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


def draw_view(scene: np.ndarray, view: int, random: np.random.Generator) -> tuple[Tensor, Tensor]:
    """A square out of a stored scene, flared and clean, (1, 3, view, view) each, encoded."""
    side = int(random.integers(WORKING, SIDE + 1))  # never enlarged: soft is what blurred is
    top, left = random.integers(SIDE - side + 1, size=2)
    pair = as_picture(scene[:, top : top + side, left : left + side])
    pair = functional.interpolate(pair, size=(WORKING, WORKING), mode="bilinear", antialias=True)
    # A smaller view shows the strongest flare somewhere in it.
    strongest = int((pair[0] - pair[1]).mean(0).argmax())
    top, left = (
        min(max(0, int(place - random.uniform(0.2, 0.8) * view)), WORKING - view)
        for place in divmod(strongest, WORKING)
    )
    pair = pair[..., top : top + view, left : left + view]
    # The curve of the camera. Not its gain: a light source that no longer clips is what tells a
    # darkened picture from a dark scene.
    pair = pair.clamp(0, 1) ** random.uniform(0.8, 1.5)
    return pair[:1], pair[1:]


def slightly_blurred(clean: Tensor, random: np.random.Generator) -> Tensor:
    """The hardest ruin to see, shown with every scene: (1, 3, H, W), encoded."""
    amount = torch.tensor([random.uniform(0, 0.5)], dtype=torch.float32)
    return restore(clean, clean, "blur", amount, torch.Generator())


@torch.inference_mode()
def measure(work: Path, view: int, draw: int) -> None:
    """Write `cues-DRAW.safetensors`: cues, cell errors and PSNR of restorations of the scenes.

    Another `draw` shows other parts of the scenes, restored in other ways.
    """
    scenes = np.load(work / "train.npy", mmap_mode="r")
    net, found = FlareScoreNet(), []
    for number, scene in enumerate(track(scenes, description=f"restorations, draw {draw}")):
        random = np.random.default_rng([number, draw])
        flared, clean = draw_view(scene, view, random)
        pictures = torch.cat(
            [draw_restorations(flared, clean, VARIANTS, random), slightly_blurred(clean, random)]
        )
        errors = functional.avg_pool2d((pictures - clean).square().mean(1, keepdim=True), CELL)
        found.append((net.cues(pictures).half(), errors[:, 0], true_psnr(pictures, clean)))
    parts = [torch.stack(part) for part in zip(*found, strict=True)]
    content = save(dict(zip(("cues", "errors", "psnr"), parts, strict=True)))
    write_bytes(work / f"cues-{draw:02d}.safetensors", content)


def losses(guessed: Tensor, errors: Tensor, psnr: Tensor) -> Tensor:
    """Errors of the cells, of the score, of the order, and a blurred picture that wins.

    guessed, errors: (S * V, h, w), log10 and plain; psnr: (S, V), V restorations of each scene, the
    clean scene first and a slightly blurred one last.
    """
    score = decibels(guessed).view_as(psnr)
    gap, true_gap = (x[:, :, None] - x[:, None, :] for x in (score, psnr))
    order = functional.softplus(-gap * true_gap.sign()) * (true_gap.abs() / 3).clamp(max=1)
    cells = functional.smooth_l1_loss(guessed, torch.log10(errors + 1e-5), beta=0.3)
    whole = functional.smooth_l1_loss(score / 10, psnr / 10, beta=0.2)
    sharp = functional.softplus(2 - 2 * (score[:, 0] - score[:, -1])).mean()
    # The order is what the score is for, and a blurred photograph must never win; the other two
    # keep the score in decibels.
    return cells + whole + 3 * order.mean() + 0.7 * sharp


def train(work: Path, steps: int) -> None:
    """Fit every judge to all `cues-*.safetensors`; writes `net.safetensors`."""
    files = [load_file(file) for file in sorted(work.glob("cues-*.safetensors"))]
    torch.manual_seed(0)
    net = FlareScoreNet().train()
    sample = files[0]["cues"][:200].float()
    net.usual.copy_(sample.mean((0, 1, 3, 4)))
    net.spread.copy_(sample.std((0, 1, 3, 4)) + 1e-3)
    for judge in net.judges:
        train_judge(net, judge, files, steps)
    write_bytes(work / "net.safetensors", save(net.state_dict()))


def train_judge(
    net: FlareScoreNet, judge: nn.Module, files: list[dict[str, Tensor]], steps: int
) -> None:
    """Fit one judge to scenes that it draws for itself."""
    sizes = torch.tensor([float(len(file["psnr"])) for file in files])
    optimizer = torch.optim.AdamW(judge.parameters(), lr=3e-3, weight_decay=0.02)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for step in track(range(steps), description=f"{int(sizes.sum())} scenes"):
        file = files[int(torch.multinomial(sizes, 1))]
        chosen = torch.randint(len(file["psnr"]), (BATCH,))
        guessed = judge(net.normalized(file["cues"][chosen].flatten(0, 1).float()))[:, 0]
        loss = losses(guessed, file["errors"][chosen].flatten(0, 1), file["psnr"][chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        cosine.step()
        if step % 500 == 0 or step == steps - 1:
            print(step, f"{loss.item():.4f}", flush=True)


def publish(backgrounds: Path, work: Path) -> None:
    """Put the averaged weights, in half precision, and their card into the package."""
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
    parser.add_argument("job", choices=["scenes", "cues", "train", "publish"])
    parser.add_argument("--backgrounds", type=Path, help="folder of free photographs")
    parser.add_argument("--work", type=Path, default=Path("out/flare-score"))
    parser.add_argument("--scenes", type=int, default=1200, help="how many")
    parser.add_argument("--draw", type=int, default=0, help="number of this pass (cues)")
    parser.add_argument("--view", type=int, default=WORKING, help="side of a picture (cues)")
    parser.add_argument("--steps", type=int, default=3000)
    options = parser.parse_args()
    if options.job == "cues":
        measure(options.work, options.view, options.draw)
    elif options.job == "train":
        train(options.work, options.steps)
    elif options.backgrounds is None:
        parser.error("--backgrounds is needed for this")
    elif options.job == "scenes":
        make_scenes(options.backgrounds, options.work, options.scenes)
    else:
        publish(options.backgrounds, options.work)


if __name__ == "__main__":
    main()
