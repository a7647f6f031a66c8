"""Which channel plan raliformer-t should have: training speed, inference time, and fit.

    python benchmarks/plans.py BACKGROUNDS [--seconds 240] [--jobs 2] [--only NAME ...]

Every plan learns from the same simulated pictures (128², strong flares) for the same CPU seconds of
one thread, with the learning rate falling to zero over that time; `fit` is what it then gains on
pictures of other photographs. `--jobs` plans run at once, one a core.
"""

import argparse
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from semilar.data.labeled import SimulatedPairs
from semilar.data.photos import PhotoCache, PhotoFolder
from semilar.flare import SynthSettings
from semilar.loss.pixel import log_l2
from semilar.net import FlareNet, build, cost
from semilar.train.muon import Muon

SIDE, BATCH, RATE, WARMUP = 128, 12, 2e-3, 50
VISIBLE_BELOW = 45.0  # PSNR against the clean scene from which on a flare cannot be seen
CONV3 = ("conv", "conv", "conv", "psc")
PLANS: dict[str, dict[str, Any]] = {
    "conv, conv, PSC, PSC; 32 to 256": {
        "widths": (32, 64, 128, 256),
        "blocks": ("conv", "conv", "psc", "psc"),
    },
    "conv, conv, conv, PSC; 32 to 192": {"widths": (32, 64, 96, 192), "blocks": CONV3},
    "conv, conv, conv, PSC; 32 to 256": {
        "widths": (32, 64, 96, 256),
        "depths": (2, 2, 2, 3, 2, 2, 2),
        "blocks": CONV3,
    },
    "conv, conv, conv, PSC; 32 to 192, one block at the top": {
        "widths": (32, 64, 128, 192),
        "depths": (1, 2, 2, 2, 2, 2, 1),
        "blocks": CONV3,
    },
    "conv everywhere; 32 to 160": {"widths": (32, 64, 128, 160), "blocks": ("conv",) * 4},
    "PSC everywhere; 32 to 256": {"widths": (32, 64, 128, 256), "blocks": ("psc",) * 4},
}


@dataclass(frozen=True)
class Pictures:
    """Flared, clean and flare, (N, 3, SIDE, SIDE) uint8, encoded."""

    input: Tensor
    target: Tensor
    flare: Tensor

    def rows(self, index: Sequence[int] | slice) -> tuple[Tensor, Tensor, Tensor]:
        return tuple(x[index].float() / 255 for x in (self.input, self.target, self.flare))  # type: ignore[return-value]


@dataclass(frozen=True)
class Outcome:
    images_per_second: float
    seen: int
    gain: float


@lru_cache(maxsize=1)
def source(paths: tuple[Path, ...]) -> SimulatedPairs:
    return SimulatedPairs(PhotoCache(paths, side=256), samples=len(paths))


def make(number: int, *, paths: tuple[Path, ...]) -> tuple[np.ndarray, ...]:
    """Sample `number`: uint8 pictures, encoded."""
    settings = SynthSettings.preset("strong")
    made = source(paths).make(number, seed=number, crop=SIDE, settings=settings)
    layers = (made.input, made.target, made.flare)
    return tuple(
        np.rint(np.clip(x, 0, 1) * 255).astype(np.uint8).transpose(2, 0, 1) for x in layers
    )


def collect(numbers: range, paths: tuple[Path, ...], jobs: int) -> Pictures:
    with ProcessPoolExecutor(jobs) as pool:
        samples = list(pool.map(partial(make, paths=paths), numbers, chunksize=32))
    return Pictures(*(torch.from_numpy(np.stack(x)) for x in zip(*samples, strict=True)))


def gain(net: FlareNet, held: Pictures) -> float:
    """Mean PSNR over the untouched input, dB, where the flare shows at all."""
    gains = []
    with torch.no_grad():
        for start in range(0, len(held.input), 16):
            flared, clean, _ = held.rows(slice(start, start + 16))
            after = net(flared)[0].clamp(0, 1)
            before_error = (flared - clean).square().mean((1, 2, 3))
            after_error = (after - clean).square().mean((1, 2, 3))
            visible = before_error > 10 ** (-VISIBLE_BELOW / 10)
            gains += (10 * torch.log10(before_error / after_error))[visible].tolist()
    return float(np.mean(gains))


def fit(options: dict[str, Any], *, train: Pictures, held: Pictures, seconds: float) -> Outcome:
    """Train a fresh network for so many CPU seconds of one thread."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = tiny(options)
    optimizer = Muon(net, lr=RATE, betas=(0.9, 0.99))
    rng = np.random.default_rng(0)
    start, spent, seen = time.process_time(), 0.0, 0
    while spent < seconds:
        for group in optimizer.param_groups:
            warm = min(1.0, (seen / BATCH + 1) / WARMUP)
            group["lr"] = RATE * warm * 0.5 * (1 + np.cos(np.pi * spent / seconds))
        flared, clean, flare = train.rows(
            rng.choice(len(train.input), BATCH, replace=False).tolist()
        )
        scene, layer = net(flared)
        loss = log_l2(scene, clean).mean() + 0.2 * log_l2(layer, flare).mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        seen += BATCH
        spent = time.process_time() - start
    return Outcome(seen / spent, seen, gain(net.eval(), held))


def tiny(options: dict[str, Any]) -> FlareNet:
    return build("raliformer-t", **options)


def inference_seconds(net: FlareNet, rounds: int = 5) -> float:
    """Median CPU seconds of one thread at 512²."""
    picture, taken = torch.rand(1, 3, 512, 512), []
    with torch.no_grad():
        for _ in range(rounds + 1):
            start = time.process_time()
            net(picture)
            taken.append(time.process_time() - start)
    return float(np.median(taken[1:]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("backgrounds", type=Path, help="a folder of photographs without flare")
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=list(PLANS), choices=list(PLANS))
    options = parser.parse_args()
    paths = tuple(PhotoFolder(folder=options.backgrounds).find())
    apart = len(paths) // 8
    train = collect(range(options.samples), paths[apart:], options.jobs)
    held = collect(range(10**6, 10**6 + 256), paths[:apart], options.jobs)
    work = partial(fit, train=train, held=held, seconds=options.seconds)
    with ProcessPoolExecutor(options.jobs, max_tasks_per_child=1) as pool:
        outcomes = pool.map(work, [PLANS[name] for name in options.only])
        print("| plan | parameters | GMACs | images/s | fit |\n| --- | --- | --- | --- | --- |")
        for name, found in zip(options.only, outcomes, strict=True):
            counted = cost("raliformer-t", **PLANS[name])
            print(
                f"| {name} | {counted.parameters / 1e6:.2f} M | {counted.macs / 1e9:.2f}"
                f" | {found.images_per_second:.1f} | +{found.gain:.2f} dB after {found.seen} |",
                flush=True,
            )
    torch.set_num_threads(1)
    print("\nat 512², one thread, in turn:")
    for name in options.only:
        print(f"{name}: {inference_seconds(tiny(PLANS[name]).eval()):.3f} s")


if __name__ == "__main__":
    main()
