"""The pictures of a small scale: scenes, flared photos without labels, test sets. Made once."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock

from semilar import photo
from semilar.data import Bytes, with_short_side
from semilar.errors import SemilarError
from semilar.experiment.scales import World
from semilar.files import write_bytes, write_text
from semilar.flare import Sample, SynthSettings, night_scene, synthesize, to_mapping

_TEST_SEED, _PHOTO_SEED, _LABEL_SEED, _CHECK_SEED = 20_000, 10_000, 30_000, 40_000
_EDITION = 1_000_000  # seeds and scenes of test pictures from one edition to the next
_LEAST = 10  # photographs from which five parts can be made
Scenes = dict[str, list[Bytes]]  # by part


@dataclass(frozen=True)
class StudyPictures:
    """Where the data of an experiment lie. What is None or missing cannot be had."""

    labeled: Path | None
    photos: Path | None
    validation: Path | None
    tests: dict[str, Path]
    flares: dict[str, Any]
    """How labels are made: a preset (usual, other), or a folder of patterns."""
    limited: dict[str, Any]
    """Which files of `labeled` are the limited labels, as a recipe's `backgrounds` says it."""
    recipe: str = ""
    """What rows go over, where it is not the scale's recipe."""
    truth: Path | None = None
    """The scenes behind the photos, under the same names."""
    pairs: bool = False
    """Whether `labeled` and `validation` hold pairs instead of scenes."""


def make_world(folder: Path, world: World, backgrounds: Path | None) -> StudyPictures:
    """The pictures of `world` in `folder`, made unless they are there.

    `backgrounds` are photographs to take instead of drawn scenes. Pictures of another kind in the
    folder are an error.
    """
    facts = _facts(world, backgrounds)
    identity = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]
    note = folder / "manifest.json"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        if not note.is_file():
            _fill(folder, world, backgrounds)
            write_text(note, json.dumps({"identity": identity, **facts}, indent=1))
    if json.loads(note.read_text(encoding="utf-8"))["identity"] != identity:
        raise SemilarError(
            f"{folder}: holds pictures made in another way (other backgrounds, another version);"
            " give another folder."
        )
    return StudyPictures(
        labeled=folder / "labeled",
        photos=folder / "photos",
        validation=folder / "validation",
        tests={name: folder / "tests" / name for name in world.tests},
        flares=dict(world.flares),
        limited={"include": ["limited-*"]},
        recipe=world.recipe,
        truth=folder / "truth",
        pairs=world.pairs > 0,
    )


def _facts(world: World, backgrounds: Path | None) -> dict[str, Any]:
    """All that decides the pictures, but for the pixels of the backgrounds."""
    presets = {*world.flares.values(), *world.tests.values()}
    files = [] if backgrounds is None else _found(backgrounds)
    return {
        "world": world.model_dump(mode="json"),
        "presets": {name: to_mapping(SynthSettings.preset(name)) for name in sorted(presets)},
        "backgrounds": [file.name for file in files] or "drawn",
    }


def _found(folder: Path) -> list[Path]:
    files = photo.find_photos(folder) if folder.is_dir() else []
    if len(files) < _LEAST:
        raise SemilarError(f"{folder}: holds {len(files)} photographs; {_LEAST} are the least.")
    return files


def _fill(folder: Path, world: World, backgrounds: Path | None) -> None:
    scenes = _drawn(world) if backgrounds is None else _photographs(world, backgrounds)
    if world.pairs:
        _fill_pairs(folder, world, scenes)
    else:
        _fill_scenes(folder, scenes)
    for i in range(world.photos):
        made = _flared(scenes["unlabeled"], i, world, world.flares["unlabeled"], _PHOTO_SEED)
        for part, pixels in (("photos", made.input), ("truth", made.target)):
            write_bytes(folder / part / f"{i:03d}.png", photo.plain_png(_levels(pixels)))
    for number, (name, preset) in enumerate(world.tests.items()):
        for i in range(world.tests_each):
            seed = _TEST_SEED + 1000 * number + _EDITION * world.edition
            made = _flared(scenes["test"], i, world, preset, seed)
            _write_pair(folder / "tests" / name, i, made)
            mask = folder / "tests" / name / "mask" / f"{i:03d}.png"
            write_bytes(mask, photo.plain_png(made.mask))


def _fill_scenes(folder: Path, scenes: Scenes) -> None:
    for part in ("limited", "more"):
        for i, scene in enumerate(scenes[part]):
            write_bytes(folder / "labeled" / f"{part}-{i:03d}.png", photo.plain_png(scene))
    for i, scene in enumerate(scenes["validation"]):
        write_bytes(folder / "validation" / f"{i:03d}.png", photo.plain_png(scene))


def _fill_pairs(folder: Path, world: World, scenes: Scenes) -> None:
    """Labels have the usual flares; what chooses has those of the photos."""
    flares = world.flares
    for i in range(world.pairs):
        made = _flared(scenes["limited"], i, world, flares["usual"], _LABEL_SEED)
        _write_pair(folder / "labeled", i, made)
    for i in range(world.checks):
        made = _flared(scenes["validation"], i, world, flares["unlabeled"], _CHECK_SEED)
        _write_pair(folder / "validation", i, made)


def _write_pair(folder: Path, i: int, made: Sample) -> None:
    for role, pixels in (("input", made.input), ("gt", made.target)):
        write_bytes(folder / role / f"{i:03d}.png", photo.plain_png(_levels(pixels)))


def _drawn(world: World) -> Scenes:
    size = world.side, round(world.side * 4 / 3)
    numbers = iter(range(sum(world.scenes.values())))
    first = {"test": _EDITION * world.edition}
    return {
        part: [night_scene(next(numbers) + first.get(part, 0), size) for _ in range(count)]
        for part, count in world.scenes.items()
    }


def _photographs(world: World, folder: Path) -> Scenes:
    """Disjoint parts of the photographs; fewer than asked for are shared out in proportion."""
    files = _found(folder)
    order = np.random.default_rng(0).permutation(len(files))
    wanted = np.array(list(world.scenes.values()))
    share = min(1.0, len(files) / wanted.sum())
    ends = np.maximum(1, (wanted * share).astype(int)).cumsum()
    parts = dict(zip(world.scenes, np.split(order, ends), strict=False))
    return {
        part: [
            with_short_side(photo.to_depth(photo.read(files[i]).pixels, 8), world.side)
            for i in sorted(numbers)
        ]
        for part, numbers in parts.items()
    }


def _flared(scenes: Sequence[Bytes], i: int, world: World, preset: str, seed: int) -> Sample:
    return synthesize(
        scenes[i % len(scenes)],
        seed=seed + i,
        settings=SynthSettings.preset(preset),
        size=(world.size, world.size),
    )


def _levels(picture: np.ndarray) -> Bytes:
    """*Encoded* floats as 8-bit codes."""
    return np.rint(np.clip(picture, 0, 1) * 255).astype(np.uint8)
