"""Compare simulated flares with the layers of real pairs: a table and two contact sheets.

    python tools/flare_realism.py PAIRS [--backgrounds DIR] [--out out/realism] [--docs docs]

PAIRS holds `flare/` and `clear/` with files of the same names. Pictures made from the real
photographs go to --out only, which is not part of the repository. With --docs the numbers go into
`data.md` there, and a sheet of simulated flares on built-in pictures into `images/`.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np
from PIL import Image
from scipy import ndimage

from semilar.flare import SynthSettings, synthesize
from semilar.flare.backgrounds import builtin_backgrounds
from semilar.flare.measure import FlareMeasure, measure
from semilar.photo.light import linear_to_srgb, srgb_table

SIDE = 512
NOISE_LEVELS = 1.5
LEVELS = (5, 25, 50, 75, 95)
NAMES = {
    "mean": "mean light added, % of full scale",
    "above_1": "share of picture above 1 %",
    "above_5": "share of picture above 5 %",
    "above_20": "share of picture above 20 %",
    "falloff": "fall-off exponent",
    "arms": "streak arms of the strongest source",
    "arm_width": "width of an arm, % of short side",
    "saturation": "colour saturation, 0 to 1",
}
BEGIN, END = "<!-- realism: made by tools/flare_realism.py -->", "<!-- realism: end -->"


def real_pairs(folder: Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Spoiled and clean photographs, encoded, shrunk to the common short side."""
    pairs = []
    for spoiled in sorted((folder / "flare").iterdir()):
        clean = folder / "clear" / spoiled.name
        pairs.append((read(spoiled), read(clean)))
    return pairs


def read(path: Path, side: int = SIDE) -> np.ndarray:
    """Encoded pixels with the given short side."""
    with Image.open(path) as picture:
        rgb = picture.convert("RGB")
    scale = side / min(rgb.size)
    size = (round(rgb.width * scale), round(rgb.height * scale))
    return np.array(
        rgb.resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC)
    )


def layer_of(spoiled: np.ndarray, clean: np.ndarray) -> np.ndarray:
    """Signed linear difference of two encoded pictures, uint8."""
    table = srgb_table(8)
    flared, bare = table[spoiled], table[clean]
    return flared - exposure_ratio(flared, bare) * bare


def plain_layer(spoiled: np.ndarray, clean: np.ndarray) -> np.ndarray:
    """Linear difference where both were exposed alike."""
    table = srgb_table(8)
    return table[spoiled] - table[clean]


def exposure_ratio(flared: np.ndarray, bare: np.ndarray) -> float:
    """How much longer the first was exposed: the two shots of a real pair were metered apart."""
    middle = (bare > 0.01) & (bare < 0.7)
    return float(np.median(flared[middle] / bare[middle])) if middle.any() else 1.0


def simulated(preset: str, count: int, backgrounds: list[np.ndarray]) -> list[np.ndarray]:
    """(spoiled, clean) pairs of the preset, encoded uint8."""
    settings = SynthSettings.preset(preset)
    pairs = []
    for seed in range(count):
        picture = backgrounds[seed % len(backgrounds)]
        sample = synthesize(picture, seed=seed, settings=settings, size=(SIDE, SIDE))
        spoiled, clean = (np.round(x * 255).astype(np.uint8) for x in (sample.input, sample.target))
        pairs.append((spoiled, clean))
    return pairs


def taken_twice(pairs: list) -> list:
    """Pairs with the differences that two shots have beside the flare."""
    return [(spoiled, taken_again(clean, seed)) for seed, (spoiled, clean) in enumerate(pairs)]


def taken_again(picture: np.ndarray, seed: int) -> np.ndarray:
    """As the second shot of a real pair: moved by up to a pixel, with noise of its own."""
    rng = np.random.default_rng(seed)
    moved = ndimage.shift(
        srgb_table(8)[picture], (*rng.uniform(-1, 1, 2), 0), order=1, mode="nearest"
    )
    noise = rng.normal(0, NOISE_LEVELS, picture.shape) * (picture < 250)  # what clips has none
    return np.rint(np.clip(linear_to_srgb(moved) * 255 + noise, 0, 255)).astype(np.uint8)


def table(measures: dict[str, list[FlareMeasure]]) -> str:
    """Percentiles of every measure, as Markdown."""
    lines = ["| measure | set | " + " | ".join(f"{level} %" for level in LEVELS) + " |"]
    lines.append("| --- | --- |" + " ---: |" * len(LEVELS))
    for field in fields(FlareMeasure):
        for name, rows in measures.items():
            values = np.array([getattr(row, field.name) for row in rows])
            cells = " | ".join(f"{v:.2f}" for v in np.nanpercentile(values, LEVELS))
            lines.append(f"| {NAMES[field.name]} | {name} | {cells} |")
    return "\n".join(lines)


def write_docs(docs: Path, numbers: str) -> None:
    """The table between its marks in data.md; the sheet of simulated flares."""
    page = (docs / "data.md").read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    (docs / "data.md").write_text(f"{before}{BEGIN}\n\n{numbers}\n\n{END}{after}", encoding="utf-8")
    pictures = [p for p in builtin_backgrounds() if min(p.shape[:2]) >= SIDE]
    (docs / "images").mkdir(exist_ok=True)
    picked = simulated("realistic", 32, pictures)
    sheet(picked, 8, 150, plain_layer).save(docs / "images" / "simulated-flares.jpg", quality=82)


def sheet(
    pairs: list, columns: int, cell: int = 200, difference: Callable = layer_of
) -> Image.Image:
    """Spoiled picture above its layer, many side by side."""
    tiles = []
    for spoiled, clean in pairs:
        layer = linear_to_srgb(np.clip(difference(spoiled, clean), 0, 1))
        both = (spoiled, np.uint8(layer * 255))
        small = [np.asarray(Image.fromarray(x).resize((cell, cell))) for x in both]
        tiles.append(np.concatenate(small))
    blank = np.zeros_like(tiles[0])
    tiles += [blank] * (-len(tiles) % columns)
    rows = [np.concatenate(tiles[i : i + columns], 1) for i in range(0, len(tiles), columns)]
    return Image.fromarray(np.concatenate(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--backgrounds", type=Path)
    parser.add_argument("--preset", default="realistic")
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--out", type=Path, default=Path("out/realism"))
    parser.add_argument("--docs", type=Path)
    options = parser.parse_args()
    pictures = list(builtin_backgrounds())
    if options.backgrounds:
        found = sorted(options.backgrounds.glob("*.jpg"))
        chosen = np.random.default_rng(0).permutation(len(found))[: options.count]
        pictures = [read(found[number], 640) for number in chosen]
    pictures = [picture for picture in pictures if min(picture.shape[:2]) >= SIDE]
    real = real_pairs(options.pairs)
    made = taken_twice(simulated(options.preset, options.count, pictures))
    measures = {
        "real": [measure(layer_of(*pair)) for pair in real],
        options.preset: [measure(plain_layer(*pair)) for pair in made],
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "table.md").write_text(table(measures) + "\n")
    rows = {name: [asdict(row) for row in found] for name, found in measures.items()}
    (options.out / "measures.json").write_text(json.dumps(rows, indent=1))
    sheet(real, 8).save(options.out / "real.png")
    sheet(made[:40], 8).save(options.out / f"{options.preset}.png")
    if options.docs:
        write_docs(options.docs, table(measures))
    print(table(measures))


if __name__ == "__main__":
    main()
