"""A folder of simulated samples in the layout of the benchmarks: input, gt, mask, flare."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from PIL import Image

from semilar.errors import OutputExistsError, SemilarError
from semilar.files import write_bytes, write_text
from semilar.flare.patterns import PatternSet
from semilar.flare.plan import SynthPlan, manifest, same_bytes
from semilar.flare.sample import Bytes, Sample
from semilar.flare.synthesis import synthesize
from semilar.photo import plain_png
from semilar.processes import in_processes

FOLDERS = ("gt", "mask", "flare", "input")
"""In the order of writing: a sample is complete when its input is there."""
MANIFEST = "manifest.json"
SHEET = "sheet.png"
SHEET_CELL, SHEET_ROWS, SHEET_PAIRS = 160, 12, 2


@dataclass(frozen=True)
class Made:
    """What became of one sample."""

    number: int
    error: str | None = None
    """Why it could not be made, where it was not."""


def prepare_folder(plan: SynthPlan, out: Path, *, force: bool) -> list[int]:
    """Write the manifest and list the samples that are still to be made."""
    if plan.patterns:
        _patterns(plan.patterns)
    promised = manifest(plan)
    path = out / MANIFEST
    if path.exists() and not force:
        if not same_bytes(json.loads(path.read_text(encoding="utf-8")), json_form(promised)):
            raise OutputExistsError(f"{path}: describes other samples.")
    elif out.exists() and any(out.iterdir()) and not force:
        raise OutputExistsError(f"{out}: is not empty and has no manifest.")
    write_text(path, json.dumps(promised, indent=1) + "\n")
    if force:
        return list(range(plan.count))
    return [number for number in range(plan.count) if not (out / _file("input", number)).exists()]


def json_form(value: dict) -> dict:
    """What JSON makes of it: tuples become lists."""
    return json.loads(json.dumps(value))


def make(plan: SynthPlan, out: Path, number: int) -> Made:
    """Make one sample and write its four pictures."""
    try:
        sample = sample_of(plan, number)
        pictures = {"gt": sample.target, "flare": sample.flare, "input": sample.input}
        for folder in FOLDERS:
            pixels = sample.mask if folder == "mask" else eight_bit(pictures[folder])
            write_bytes(out / _file(folder, number), plain_png(pixels))
    except SemilarError as error:
        return Made(number, str(error))
    except OSError as error:
        return Made(number, f"{out / _file('input', number)}: cannot be written ({error}).")
    return Made(number)


def sample_of(plan: SynthPlan, number: int) -> Sample:
    """The sample of that number."""
    patterns = _patterns(plan.patterns) if plan.patterns else None
    return synthesize(
        plan.read_background(number),
        seed=plan.sample_seed(number),
        settings=plan.settings,
        size=(plan.size, plan.size),
        patterns=patterns,
    )


def make_samples(plan: SynthPlan, out: Path, numbers: list[int], jobs: int) -> Iterator[Made]:
    """Make many samples, in `jobs` processes; outcomes come as they are ready."""
    return in_processes(partial(make, plan, out), numbers, jobs=jobs)


def write_sheet(plan: SynthPlan, out: Path) -> Path:
    """A contact sheet of the first samples: input, gt, flare and mask side by side."""
    tiles = []
    for number in range(min(plan.count, SHEET_ROWS * SHEET_PAIRS)):
        files = [out / _file(folder, number) for folder in ("input", "gt", "flare", "mask")]
        if all(file.exists() for file in files):
            tiles.append(np.concatenate([_thumbnail(file) for file in files], axis=1))
    if not tiles:
        raise SemilarError(f"{out}: there are no samples to put on a sheet.")
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % SHEET_PAIRS)
    rows = [
        np.concatenate(tiles[i : i + SHEET_PAIRS], 1) for i in range(0, len(tiles), SHEET_PAIRS)
    ]
    write_bytes(out / SHEET, plain_png(np.concatenate(rows)))
    return out / SHEET


def eight_bit(picture: np.ndarray) -> Bytes:
    """*Encoded* floats in [0, 1] to codes, rounded."""
    return (picture * np.float32(255) + np.float32(0.5)).astype(np.uint8)


@lru_cache(maxsize=1)
def _patterns(folder: Path) -> PatternSet:
    return PatternSet(folder)


def _file(folder: str, number: int) -> str:
    return f"{folder}/{number:06d}.png"


def _thumbnail(file: Path) -> Bytes:
    with Image.open(file) as picture:
        return np.asarray(picture.convert("RGB").resize((SHEET_CELL, SHEET_CELL)))
