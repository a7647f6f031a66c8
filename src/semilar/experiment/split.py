"""The paper's data: the first 8,000 backgrounds for labels, the next 8,000 for unlabeled photos.

"The first 8,000 images are used to synthesize labeled training pairs, while images from 8,000 to
16,000 are used solely as unlabeled data" (section 4.2). The order is that of the paths.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semilar import __version__
from semilar.errors import SemilarError
from semilar.experiment.world import StudyPictures
from semilar.files import write_text
from semilar.flare import SynthPlan, SynthSettings, make_samples, prepare_folder
from semilar.photo import find_photos
from semilar.threads import cores

PART = 8000
_SIZE, _SEED = 512, 1
_MANIFEST, _NAMES = "manifest.json", {"labeled": "labeled.txt", "unlabeled": "unlabeled.txt"}


@dataclass(frozen=True)
class Split:
    """Two parts of a folder of backgrounds that share no picture, and the lists that name them."""

    folder: Path
    lists: dict[str, Path]
    files: dict[str, list[Path]]


def split_backgrounds(
    folder: Path, out: Path, *, labeled: int = PART, unlabeled: int = PART
) -> Split:
    """Write the lists of names and a manifest with checksums to `out`; the same files, the same.

    A manifest that is there and says otherwise is an error.
    """
    files = find_photos(folder) if folder.is_dir() else []
    if len(files) < labeled + unlabeled:
        raise SemilarError(
            f"{folder}: holds {len(files)} photographs, fewer than the {labeled} for labels and"
            f" {unlabeled} without."
        )
    parts = {"labeled": files[:labeled], "unlabeled": files[labeled : labeled + unlabeled]}
    _check_names(files)
    names = {part: [path.name for path in chosen] for part, chosen in parts.items()}
    note = out / _MANIFEST
    if note.is_file():
        known = json.loads(note.read_text(encoding="utf-8"))["files"]
        if {part: list(one) for part, one in known.items()} != names:
            raise SemilarError(f"{note}: describes another split; give another folder.")
    else:
        for part, file in _NAMES.items():
            write_text(out / file, "".join(f"{name}\n" for name in names[part]))
        write_text(note, json.dumps(_manifest(folder, parts), indent=1))
    return Split(folder, {part: out / file for part, file in _NAMES.items()}, parts)


def _manifest(folder: Path, parts: dict[str, list[Path]]) -> dict[str, Any]:
    return {
        "semilar": __version__,
        "folder": str(folder.resolve()),
        "order": "by path",
        "files": {part: {p.name: _sha256(p) for p in chosen} for part, chosen in parts.items()},
    }


def _check_names(files: list[Path]) -> None:
    """Lists name files without folders, so that no two may have one name."""
    seen: dict[str, Path] = {}
    for path in files:
        if path.name in seen:
            raise SemilarError(f"{path}: has the name of {seen[path.name]}; keep one of them.")
        seen[path.name] = path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a person has: folders of data, each None where it is not there."""

    backgrounds: Path | None = None
    patterns: Path | None = None
    other_patterns: Path | None = None


def published_pictures(
    folder: Path, given: Given, *, tell: Callable[[str], None] = lambda _: None
) -> StudyPictures:
    """The data of the paper below `folder`: the split, and flares over its unlabeled half."""
    if given.backgrounds is None or given.patterns is None:
        raise SemilarError("The paper's scale needs photographs and flare patterns of your own.")
    split = split_backgrounds(given.backgrounds, folder / "split")
    plan = SynthPlan(
        count=len(split.files["unlabeled"]),
        size=_SIZE,
        seed=_SEED,
        settings=SynthSettings.preset("protocol"),
        backgrounds=tuple(path.resolve() for path in split.files["unlabeled"]),
        patterns=given.patterns.resolve(),
    )
    numbers = prepare_folder(plan, folder / "unlabeled", force=False)
    if numbers:
        tell(f"Making {len(numbers)} unlabeled pictures.")
    for made in make_samples(plan, folder / "unlabeled", numbers, cores()):
        if made.error:
            raise SemilarError(made.error)
    return StudyPictures(
        labeled=given.backgrounds,
        photos=folder / "unlabeled" / "input",
        validation=None,
        tests={},
        flares={"usual": given.patterns, "other": given.other_patterns},
        limited={"names": str(split.lists["labeled"])},
    )
