"""Compare simulated flares with the layers of real pairs: tables, contact sheets, a classifier.

    python tools/flare_realism.py --strong PAIRS --mild PAIRS [--backgrounds DIR]
        [--presets smeared realistic] [--seed 0] [--out out/realism] [--classifier] [--docs docs]

Real pairs lie in `input/` and `gt/` (or `flare/` and `clear/`), with files of the same names; white
in `mask/` is left out. Flare only adds light, so the ratio of the exposures is the lowest that
large parts of the picture show. Mild pairs were metered apart. Strong ones were meant to be exposed
alike: there a ratio above 1 is a veil, but below 1 the camera still chose a shorter exposure.
`--classifier` trains a small network to tell real strong layers from those of the first preset and
prints how often it is right on layers that it has not seen; 0.5 is a perfect simulator.

Pictures made from the real photographs go to --out only, which is not part of the repository. With
--docs the numbers go into `data.md` there, and a sheet of simulated flares on built-in pictures
into `images/`.
"""

import argparse
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from PIL import Image
from scipy import ndimage

from semilar.data.pairs import find_pairs
from semilar.flare import SynthSettings, synthesize
from semilar.flare.backgrounds import builtin_backgrounds
from semilar.flare.measure import FlareMeasure, find_centre, measure
from semilar.photo import linear_to_srgb, srgb_table

SIDE = 512
NOISE_LEVELS, MOVED = 0.75, 0.05  # between the shots of a strong pair: 8-bit levels, pixels
LEVELS = (5, 25, 50, 75, 95)
BLOCKS, LOW = 4, 10  # parts of a picture along a side, and the percentile that counts as lowest
NEAR = 1.6  # the factor that quartiles of the first preset may differ by from the strong pairs
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


@dataclass(frozen=True)
class Shot:
    """A flared and a clean picture, encoded uint8, and what hides a lamp (H, W)."""

    spoiled: np.ndarray
    clean: np.ndarray
    hidden: np.ndarray
    exposed_alike: bool = True

    def layer(self) -> np.ndarray:
        """Signed *linear* light that flare added, zero where something hides it."""
        table = srgb_table(8)
        flared, bare = table[self.spoiled], table[self.clean]
        ratio = exposure_ratio(flared, bare)
        if self.exposed_alike:  # flare only adds light: below 1 is the camera, above it a veil
            ratio = min(ratio, 1.0)
        return np.where(self.hidden[..., None], 0, flared - np.float32(ratio) * bare)


def real_shots(folder: Path, *, exposed_alike: bool) -> list[Shot]:
    """The pairs of a folder, shrunk to the common short side."""
    shots = []
    for pair in find_pairs(folder).pairs:
        spoiled, clean = read(pair.input), read(pair.target)
        hidden = np.zeros(spoiled.shape[:2], bool)
        if pair.mask is not None:
            hidden = read(pair.mask).max(axis=2) > 0
        shots.append(Shot(spoiled, clean, hidden, exposed_alike))
    return shots


def read(path: Path, side: int = SIDE) -> np.ndarray:
    """Encoded pixels with the given short side."""
    with Image.open(path) as picture:
        rgb = picture.convert("RGB")
    scale = side / min(rgb.size)
    size = (round(rgb.width * scale), round(rgb.height * scale))
    return np.array(
        rgb.resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BICUBIC)
    )


def exposure_ratio(flared: np.ndarray, bare: np.ndarray) -> float:
    """How much longer the first was exposed, from where it has least light to spare."""
    ratios = []
    for rows in np.array_split(np.arange(bare.shape[0]), BLOCKS):
        for columns in np.array_split(np.arange(bare.shape[1]), BLOCKS):
            part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            middle = (bare[part] > 0.01) & (bare[part] < 0.7)
            if middle.mean() > 0.2:
                ratios.append(np.median(flared[part][middle] / bare[part][middle]))
    return float(np.percentile(ratios, LOW)) if ratios else 1.0


def simulated(preset: str, count: int, backgrounds: list[np.ndarray], first: int = 0) -> list[Shot]:
    """Pairs of the preset, encoded uint8; their seeds count from `first`."""
    settings = SynthSettings.preset(preset)
    shots = []
    for seed in range(first, first + count):
        picture = backgrounds[seed % len(backgrounds)]
        sample = synthesize(picture, seed=seed, settings=settings, size=(SIDE, SIDE))
        spoiled, clean = (np.round(x * 255).astype(np.uint8) for x in (sample.input, sample.target))
        shots.append(Shot(spoiled, clean, np.zeros((SIDE, SIDE), bool)))
    return shots


def as_photographed(made: list[Shot], real: list[Shot]) -> list[Shot]:
    """Simulated pairs with what real ones have beside the flare: a second shot that differs a
    little, and a thing that hides the lamp, taken from the real masks."""
    masks = [shot.hidden for shot in real if shot.hidden.shape == (SIDE, SIDE)]
    shots = []
    for seed, shot in enumerate(made):
        hidden = shot.hidden
        if masks and masks[seed % len(masks)].any():
            hidden = moved_to(masks[seed % len(masks)], *find_centre(shot.layer()))
        shots.append(Shot(shot.spoiled, taken_again(shot.clean, seed), hidden))
    return shots


def moved_to(mask: np.ndarray, x: float, y: float) -> np.ndarray:
    """The mask with its thickest place at (x, y)."""
    depth = np.asarray(ndimage.distance_transform_edt(mask))
    row, column = np.unravel_index(int(depth.argmax()), mask.shape)
    return ndimage.shift(mask, (y - float(row), x - float(column)), order=0)


def taken_again(picture: np.ndarray, seed: int) -> np.ndarray:
    """As the second shot of a real pair: moved a little, with noise of its own."""
    rng = np.random.default_rng(seed)
    moved = ndimage.shift(
        srgb_table(8)[picture], (*rng.normal(0, MOVED, 2), 0), order=1, mode="nearest"
    )
    noise = rng.normal(0, NOISE_LEVELS, picture.shape) * (picture < 250)  # what clips has none
    return np.rint(np.clip(linear_to_srgb(moved) * 255 + noise, 0, 255)).astype(np.uint8)


def percentiles(rows: list[FlareMeasure], name: str) -> np.ndarray:
    """The five percentiles of one measure."""
    return np.nanpercentile([getattr(row, name) for row in rows], LEVELS)


def table(measures: dict[str, list[FlareMeasure]]) -> str:
    """Percentiles of every measure, as Markdown."""
    lines = ["| measure | set | " + " | ".join(f"{level} %" for level in LEVELS) + " |"]
    lines.append("| --- | --- |" + " ---: |" * len(LEVELS))
    for field in fields(FlareMeasure):
        for name, rows in measures.items():
            cells = " | ".join(f"{v:.2f}" for v in percentiles(rows, field.name))
            lines.append(f"| {NAMES[field.name]} | {name} | {cells} |")
    return "\n".join(lines)


def verdict(real: list[FlareMeasure], made: list[FlareMeasure]) -> list[str]:
    """Which quartiles lie apart: by more than the factor, exponents by more than 0.2."""
    apart = []
    for field in fields(FlareMeasure):
        wanted, found = percentiles(real, field.name)[1:4], percentiles(made, field.name)[1:4]
        for level, a, b in zip(LEVELS[1:4], wanted, found, strict=True):
            if field.name == "falloff":
                off = abs(a - b) > 0.2
            else:
                off = max(a, 0) > NEAR * max(b, 0) or max(b, 0) > NEAR * max(a, 0)
            if off:
                apart.append(f"{NAMES[field.name]}, {level} %: {b:.2f} against {a:.2f}")
    return apart


def uncovered(real: list[FlareMeasure], made: list[FlareMeasure]) -> list[str]:
    """Measures whose simulated range from 5 to 95 % does not hold the real one."""
    short = []
    for field in fields(FlareMeasure):
        wanted, found = (
            percentiles(real, field.name)[[0, -1]],
            percentiles(made, field.name)[[0, -1]],
        )
        if found[0] > wanted[0] or found[1] < wanted[1]:
            ranges = " against ".join(f"{low:.2f} to {high:.2f}" for low, high in (found, wanted))
            short.append(f"{NAMES[field.name]}: {ranges}")
    return short


def write_docs(docs: Path, numbers: str, preset: str) -> None:
    """The table between its marks in data.md; the sheet of simulated flares."""
    page = (docs / "data.md").read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    (docs / "data.md").write_text(f"{before}{BEGIN}\n\n{numbers}\n\n{END}{after}", encoding="utf-8")
    pictures = [p for p in builtin_backgrounds() if min(p.shape[:2]) >= SIDE]
    (docs / "images").mkdir(exist_ok=True)
    picked = simulated(preset, 32, pictures)
    sheet(picked, 8, 150).save(docs / "images" / "simulated-flares.jpg", quality=82)


def sheet(shots: list[Shot], columns: int, cell: int = 200) -> Image.Image:
    """Spoiled picture above its layer, many side by side."""
    tiles = []
    for shot in shots:
        layer = linear_to_srgb(np.clip(shot.layer(), 0, 1))
        both = (shot.spoiled, np.uint8(layer * 255))
        small = [np.asarray(Image.fromarray(x).resize((cell, cell))) for x in both]
        tiles.append(np.concatenate(small))
    blank = np.zeros_like(tiles[0])
    tiles += [blank] * (-len(tiles) % columns)
    rows = [np.concatenate(tiles[i : i + columns], 1) for i in range(0, len(tiles), columns)]
    return Image.fromarray(np.concatenate(rows))


def load_backgrounds(folder: Path | None, count: int) -> list[np.ndarray]:
    """Photographs of the folder, or the pictures that come with the package."""
    pictures = list(builtin_backgrounds())
    if folder is not None:
        found = sorted(folder.glob("*.jpg"))
        chosen = np.random.default_rng(0).permutation(len(found))[:count]
        pictures = [read(found[number], 640) for number in chosen]
    return [picture for picture in pictures if min(picture.shape[:2]) >= SIDE]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--strong", type=Path, required=True, help="real pairs meant to be exposed alike"
    )
    parser.add_argument("--mild", type=Path, help="real pairs, metered apart")
    parser.add_argument("--backgrounds", type=Path)
    parser.add_argument("--presets", nargs="+", default=["smeared", "realistic"])
    parser.add_argument("--count", type=int, default=300, help="simulated pairs of each preset")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first simulated pair")
    parser.add_argument("--classifier", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("out/realism"))
    parser.add_argument("--docs", type=Path)
    options = parser.parse_args()
    pictures = load_backgrounds(options.backgrounds, options.count)
    shots = {"strong, real": real_shots(options.strong, exposed_alike=True)}
    if options.mild:
        shots["mild, real"] = real_shots(options.mild, exposed_alike=False)
    for preset in options.presets:
        made = simulated(preset, options.count, pictures, options.seed)
        shots[preset] = as_photographed(made, shots["strong, real"])
    layers = {name: [shot.layer() for shot in found] for name, found in shots.items()}
    measures = {name: [measure(layer) for layer in found] for name, found in layers.items()}
    options.out.mkdir(parents=True, exist_ok=True)
    text = table(measures)
    (options.out / "table.md").write_text(text + "\n", encoding="utf-8")
    rows = {name: [asdict(row) for row in found] for name, found in measures.items()}
    (options.out / "measures.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    for name, found in shots.items():
        sheet(found[:40], 8).save(options.out / f"{name.replace(', ', '-')}.png")
    if options.docs:
        write_docs(options.docs, text, options.presets[0])
    print(text)
    first = options.presets[0]
    apart = verdict(measures["strong, real"], measures[first])
    print(f"\n{first} against the strong pairs: {len(apart)} of 24 quartiles lie apart")
    print(*(f"  {line}" for line in apart), sep="\n")
    short = uncovered(measures["strong, real"], measures[first])
    print(f"{len(short)} of 8 ranges from 5 to 95 % do not hold the real one")
    print(*(f"  {line}" for line in short), sep="\n")
    if options.classifier:
        from layer_classifier import report

        print(report(layers["strong, real"], layers[first]))


if __name__ == "__main__":
    main()
