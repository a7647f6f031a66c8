"""A trained network on test sets: the network alone at each picture's size, as papers do it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from semilar.data import with_short_side
from semilar.errors import SemilarError
from semilar.evaluate import Series, evaluate, find_sets
from semilar.files import write_bytes
from semilar.photo import plain_png, read, to_depth
from semilar.quality import check_lpips, psnr
from semilar.restore import Remover
from semilar.semi import MergedRepository, stats, to_picture

Figures = dict[str, Any]


def evaluate_model(
    weights: Path, tests: Mapping[str, Path], restored: Path, *, light_source: str
) -> dict[str, Figures]:
    """The numbers of every picture of every test set, restored and untouched.

    Restored pictures are kept below `restored`.
    """
    remover = Remover(model=weights, threads=1, views=1)
    if light_source:
        remover.card = replace(remover.card, light_source=light_source)
    return {
        name: _evaluate_set(remover, folder, restored / name) | {"folder": str(folder)}
        for name, folder in tests.items()
    }


def _evaluate_set(remover: Remover, folder: Path, restored: Path) -> Figures:
    series = []
    for picture in pictures_of(folder):
        target = restored / f"{picture.name}.png"
        scene = remover.raw(to_depth(read(picture.files["untouched"]).pixels, 8))
        write_bytes(target, plain_png(np.ascontiguousarray(scene)))
        series.append(Series(picture.name, {**picture.files, "result": target}))
    found = evaluate(series, with_lpips=has_lpips())
    return {
        "pictures": [picture.name for picture in series],
        "result": [_plain(row["result"]) for row in found.rows],
        "untouched": [_plain(row["untouched"]) for row in found.rows],
    }


def evaluate_labels(repository: Path, truth: Path | None) -> Figures | None:
    """How good a run's pseudo labels became; None where it has none, or nobody knows the truth."""
    if truth is None or not repository.is_dir():
        return None
    merged = MergedRepository(repository)
    figures, labels = stats(merged), []
    for entry in merged.entries():
        if entry.label is not None:
            label = np.asarray(to_picture(entry.label))
            scene = to_depth(read(truth / entry.path).pixels, 8)
            scene = with_short_side(scene, min(label.shape[:2]))  # as training shrinks photos
            labels.append(min(psnr(label, scene), 100.0))
    candidates = sum(figures.outcomes.values())
    return {
        "coverage": figures.coverage,
        "visits": candidates / figures.photos,
        "accepted": figures.outcomes["accepted"] / candidates,
        "psnr": float(np.mean(labels)),
    }


def pictures_of(folder: Path) -> list[Series]:
    """The pictures of the first test set at or below a folder."""
    return find_sets(folder)[0].pictures()


def has_lpips() -> bool:
    """Whether LPIPS can be had."""
    try:
        check_lpips()
    except SemilarError:
        return False
    return True


def _plain(row: Mapping[str, float | None]) -> dict[str, float | None]:
    """Infinite decibels (an exact match) become 100, which JSON and means can bear."""
    return {key: None if value is None else min(value, 100.0) for key, value in row.items()}
