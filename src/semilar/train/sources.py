"""From a recipe to data: what to train on, what to measure on, and a manifest of both."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semilar.data import (
    CACHE_MEGABYTES,
    DrawnScenes,
    LabeledSource,
    PhotoCache,
    PhotoFolder,
    Pictures,
    ReadyPairs,
    SimulatedPairs,
    UnlabeledPhotos,
    find_pairs,
    identify,
)
from semilar.errors import SemilarError
from semilar.flare import PatternSet
from semilar.semi import Semi
from semilar.train.recipe import Authors, Pairs, Patterns, Recipe, Simulated


@dataclass(frozen=True)
class Sources:
    """The data of a run, and the names of the files it comes from."""

    labeled: LabeledSource
    unlabeled: UnlabeledPhotos | None
    manifest: dict[str, Any]
    warnings: list[str]


def find_backgrounds(
    photos: PhotoFolder, *, side: int, megabytes: int = CACHE_MEGABYTES, held_out: bool = False
) -> tuple[Pictures, list[str]]:
    """The pictures to simulate flares on, and their names; drawn ones where no folder is given."""
    if photos.folder is None:
        drawn = DrawnScenes(side=side, held_out=held_out)
        return drawn, [f"drawn night scene {i}" for i in range(len(drawn))]
    paths = photos.find(held_out=held_out)
    return PhotoCache(paths, side=side, megabytes=megabytes), _names(paths, photos.folder)


def find_sources(recipe: Recipe, *, tell: Callable[[str], None] = lambda _: None) -> Sources:
    """Find all training data of a recipe; a folder that is missing or empty is an error."""
    warnings: list[str] = []
    labeled, manifest = _labeled(recipe, warnings)
    unlabeled = None
    if recipe.semi is not None:
        unlabeled = _unlabeled(recipe, recipe.semi)
        manifest["unlabeled"] = [who.key for who in unlabeled.identities]
    for warning in warnings:
        tell(warning)
    return Sources(labeled, unlabeled, manifest, warnings)


def _labeled(recipe: Recipe, warnings: list[str]) -> tuple[LabeledSource, dict[str, Any]]:
    spec, megabytes = recipe.labeled, recipe.machine.cache_megabytes
    if isinstance(spec, Simulated | Patterns):
        backgrounds, names = find_backgrounds(spec.backgrounds, side=spec.side, megabytes=megabytes)
        if spec.backgrounds.folder is None:
            warnings.append(
                "Flares are simulated on drawn night scenes; photographs without flare teach more:"
                " labeled.backgrounds.folder=FOLDER."
            )
        manifest = {"backgrounds": names}
        patterns = None
        if isinstance(spec, Patterns):
            patterns = PatternSet(spec.patterns, cache_bytes=megabytes << 20)
            manifest["patterns"] = _pattern_names(patterns)
        return SimulatedPairs(backgrounds, samples=spec.samples, patterns=patterns), manifest
    assert isinstance(spec, Pairs | Authors)
    folder = spec.folder / "labeled" if isinstance(spec, Authors) else spec.folder
    found = find_pairs(folder)
    if found.unpaired:
        first = found.unpaired[0]
        warnings.append(
            f"{first}: has no partner; {len(found.unpaired)} such files of {folder} are left out."
        )
    return ReadyPairs(found.pairs, megabytes=megabytes), {"pairs": [p.name for p in found.pairs]}


def unlabeled_folder(recipe: Recipe, semi: Semi) -> PhotoFolder:
    """Where the unlabeled photos are."""
    if semi.photos is None and isinstance(recipe.labeled, Authors):
        return PhotoFolder(folder=recipe.labeled.folder / "unlabeled" / "input")
    if semi.photos is None or semi.photos.folder is None:
        raise SemilarError("semi.photos.folder is missing: name the folder of unlabeled photos.")
    return semi.photos


def _unlabeled(recipe: Recipe, semi: Semi) -> UnlabeledPhotos:
    photos = unlabeled_folder(recipe, semi)
    paths = photos.find()
    if len(paths) < semi.batch:
        raise SemilarError(
            f"{photos.place}: holds {len(paths)} photos, fewer than a batch of {semi.batch};"
            f" set semi.batch={len(paths)}."
        )
    largest = max(stage.crop for stage in recipe.stages)
    if semi.side < largest:
        raise SemilarError(
            f"semi.side is {semi.side}, smaller than the largest crop; make it at least {largest}."
        )
    return UnlabeledPhotos(
        paths,
        identify(paths, photos.place),
        side=semi.side,
        flip=semi.flip,
        strong=semi.strong,
        megabytes=recipe.machine.cache_megabytes,
    )


def _pattern_names(patterns: PatternSet) -> list[str]:
    found = [pattern.flare for group in patterns.groups for pattern in group]
    return _names([*found, *(pattern.flare for pattern in patterns.reflective)], patterns.folder)


def _names(paths: list[Path], folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in paths]
