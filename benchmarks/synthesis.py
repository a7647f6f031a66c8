"""How fast labeled samples are made, on one core.

    python benchmarks/synthesis.py

First the pattern-folder path at a 512 crop against the published order of work (decode, gamma and
affine-warp the whole 1440 x 1440 six-channel pattern, then crop), written plainly and run in turn
in this process. Then the simulator, and where its time goes. Times are CPU seconds of this process
(one thread), so that other programs on the machine count less; medians of single samples.
"""

import cProfile
import math
import os
import pstats
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from semilar.flare import PatternSet, SynthSettings, synthesize
from semilar.flare.frame import Frame
from semilar.flare.lens import cast, draw_lens
from semilar.flare.lights import Glow, Light, paint
from semilar.flare.scene import night_scene

PATTERN, CROP, PATTERNS, ROUNDS = 1440, 512, 4, 10
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
STAGES = {
    "scene: crop, darken, noise": ("background.py", "prepare"),
    "lights": ("lights.py", "draw_lights"),
    "lens: drawing lots": ("lens.py", "draw_lens"),
    "lens: casting flare": ("lens.py", "cast"),
    "compose, encode, mask": ("compose.py", "compose"),
}


def main() -> None:
    if os.environ.get("OMP_NUM_THREADS") != "1":  # BLAS reads its number of threads at the start
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
    torch.set_num_threads(1)
    backgrounds = [night_scene(seed, (640, 640)) for seed in range(4)]
    with tempfile.TemporaryDirectory() as folder:
        write_patterns(Path(folder))
        compare_orders(Path(folder), backgrounds)
    for preset in ("realistic", "smeared"):
        for size in (128, 256, 512):
            time_simulator(preset, size, backgrounds)


def write_patterns(folder: Path) -> None:
    """Patterns of the published size and layout from the simulator: one light in the middle."""
    lens_settings = SynthSettings.preset("strong").lens
    middle = PATTERN / 2
    frame = Frame(PATTERN, PATTERN, CROP, (middle, middle))
    for number in range(PATTERNS):
        rng = np.random.default_rng(number)
        source = Light(middle, middle, 10.0, np.full(3, 10, np.float32))
        light = np.zeros((PATTERN, PATTERN, 3), np.float32)
        paint(light, source, Glow(0.3, 8.0))
        glare, streak = cast(draw_lens(rng, frame, lens_settings), [source], frame)
        pictures = {"Compound_Flare": light + glare + streak, "Light_Source": light}
        for name, picture in pictures.items():
            (folder / name).mkdir(exist_ok=True)
            codes = np.clip(picture, 0, 1) ** (1 / 2.2) * 255
            Image.fromarray(codes.astype(np.uint8)).save(folder / name / f"{number:06d}.png")


def compare_orders(folder: Path, backgrounds: list[np.ndarray]) -> None:
    """The two orders in turn; the first round of ours decodes, the later ones need not."""
    patterns = PatternSet(folder)
    settings = SynthSettings.preset("protocol")
    rng = np.random.default_rng(0)
    files = sorted((folder / "Compound_Flare").iterdir())
    published, first, later = [], [], []
    for seed in range(ROUNDS):
        picture = backgrounds[seed % len(backgrounds)]
        flare = files[seed % len(files)]
        light = folder / "Light_Source" / flare.name
        published.append(
            seconds(lambda p=picture, f=flare, li=light: published_order(p, f, li, rng))
        )
        ours = [
            seconds(
                lambda s=s, p=picture: synthesize(
                    p, seed=s, settings=settings, size=(CROP, CROP), patterns=patterns
                )
            )
            for s in range(seed * 8, seed * 8 + 8)
        ]
        (first if seed == 0 else later).extend(ours)
    old, new = statistics.median(published), statistics.median(later)
    print(f"patterns, {CROP} crop: published order {1 / old:.2f}/s, here {1 / new:.2f}/s")
    print(f"  ratio {old / new:.1f} (a first decode of a pattern takes {1e3 * max(first):.0f} ms)")


def published_order(
    background: np.ndarray, flare: Path, light: Path, rng: np.random.Generator
) -> list[np.ndarray]:
    """Decode both pictures, gamma, warp all six channels in full, then crop; blur, add, encode."""
    gamma = rng.uniform(1.8, 2.2)
    top, left = rng.integers(0, background.shape[0] - CROP, 2)
    base = torch.from_numpy(background).permute(2, 0, 1).float() / 255
    base = base.pow(gamma)[:, top : top + CROP, left : left + CROP]
    base = base + torch.randn_like(base) * 0.1 * abs(float(rng.standard_normal()))
    base = (base * rng.uniform(0.5, 1.2)).clamp(0, 1)
    planes = [
        torch.from_numpy(np.array(Image.open(path).convert("RGB"))) for path in (flare, light)
    ]
    six = torch.cat([plane.permute(2, 0, 1).float() / 255 for plane in planes]).pow(gamma)
    low, high = six[:3].amin((1, 2), keepdim=True), six[:3].amax((1, 2), keepdim=True)
    six[:3] = (six[:3] - low) * high / (high - low + 1e-7)
    six = warp_in_full(six, rng)
    edge = (PATTERN - CROP) // 2
    six = six[:, edge : edge + CROP, edge : edge + CROP]
    six = blur(six, rng.uniform(0.1, 3.0))
    glow = (six[:3] + rng.uniform(-0.02, 0.02)).clamp(0, 1)
    lamp = six[3:].clamp(0, 1)
    pictures = (base + glow, base + lamp, glow - lamp)
    return [picture.clamp(0, 1).pow(1 / gamma).numpy() for picture in pictures]


def warp_in_full(planes: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """An affine warp of every pixel of the pattern, nearest neighbour as published."""
    angle, scale = rng.uniform(0, 2 * math.pi), rng.uniform(0.8, 1.5)
    c, s = math.cos(angle) / scale, math.sin(angle) / scale
    shift = rng.uniform(-0.4, 0.4, 2)
    matrix = torch.tensor([[c, -s, shift[0]], [s, c, shift[1]]], dtype=torch.float32)[None]
    grid = torch.nn.functional.affine_grid(matrix, [1, *planes.shape], align_corners=False)
    warped = torch.nn.functional.grid_sample(
        planes[None], grid, mode="nearest", align_corners=False
    )
    return warped[0]


def blur(planes: torch.Tensor, sigma: float) -> torch.Tensor:
    """A Gaussian kernel of 21 x 21, as the library of the published loader applies it."""
    taps = torch.exp(-0.5 * (torch.arange(-10, 11) / sigma) ** 2)
    taps = taps / taps.sum()
    kernel = torch.outer(taps, taps).expand(len(planes), 1, 21, 21)
    padded = torch.nn.functional.pad(planes[None], (10, 10, 10, 10), mode="reflect")
    return torch.nn.functional.conv2d(padded, kernel, groups=len(planes))[0]


def time_simulator(preset: str, size: int, backgrounds: list[np.ndarray]) -> None:
    """Samples per second, then the share of each stage."""
    settings = SynthSettings.preset(preset)

    def make(seed: int) -> None:
        picture = backgrounds[seed % len(backgrounds)]
        synthesize(picture, seed=seed, settings=settings, size=(size, size))

    make(0)
    count = max(40 * 256 // size, 20)
    start = time.process_time()
    for seed in range(count):
        make(seed)
    rate = count / (time.process_time() - start)
    print(f"{preset}, {size} x {size}: {rate:.1f} samples per second and core")
    profile = cProfile.Profile()
    profile.enable()
    for seed in range(count):
        make(seed)
    profile.disable()
    print_stages(pstats.Stats(profile))


def print_stages(stats: pstats.Stats) -> None:
    """Where the time of `synthesize` went."""
    spent = {
        (Path(file).name, name): row[3]
        for (file, _, name), row in stats.stats.items()  # type: ignore[attr-defined]
    }
    total = spent["synthesis.py", "synthesize"]
    for label, key in STAGES.items():
        print(f"  {100 * spent.get(key, 0) / total:5.1f} %  {label}")


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
