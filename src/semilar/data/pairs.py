"""Ready pairs on disk: a folder of flared photos beside a folder of the same views without flare.

Pairs are matched by file name without suffix, never by position, so a missing file costs one pair
and never shifts the others; a JPEG may have a PNG as its partner.
"""

from dataclasses import dataclass
from pathlib import Path

from semilar import photo
from semilar.errors import SemilarError

# Folder names in use, best first; compared without regard to capitals.
INPUT_NAMES = ("input", "flare", "flared", "blended", "lq", "degraded")
TARGET_NAMES = ("gt", "clear", "target", "clean", "reference", "hq")
FLARE_NAMES = ("la", "flare_layer")
MASK_NAMES = ("mask",)


@dataclass(frozen=True)
class Pair:
    """One labeled view: the flared file, the clean file, flare layer and mask where they exist."""

    name: str
    input: Path
    target: Path
    flare: Path | None = None
    mask: Path | None = None


@dataclass(frozen=True)
class PairFolder:
    """All pairs of a folder, and the files that have no partner."""

    pairs: list[Pair]
    unpaired: list[Path]


def find_pairs(folder: Path) -> PairFolder:
    """The pairs of `folder`, whose subfolders may carry any of the usual names.

    `input`/`gt`, `flare`/`clear`, `lq`/`hq` and so on. The authors' `LA` folder gives the flare
    layer where present. No pair at all is an error that says what was looked for.
    """
    if not folder.is_dir():
        raise SemilarError(f"{folder}: no such folder.")
    inputs = _by_stem(_subfolder(folder, INPUT_NAMES, "flared photos"))
    targets = _by_stem(_subfolder(folder, TARGET_NAMES, "the same views without flare"))
    layers, masks = (
        _by_stem(place) if (place := _find(folder, names)) else {}
        for names in (FLARE_NAMES, MASK_NAMES)
    )
    names = sorted(inputs.keys() & targets.keys())
    if not names:
        raise SemilarError(
            f"{folder}: no file has the same name in both folders, so there are no pairs."
        )
    pairs = [
        Pair(name, inputs[name], targets[name], layers.get(name), masks.get(name)) for name in names
    ]
    lonely = [*(inputs.keys() - targets.keys()), *(targets.keys() - inputs.keys())]
    unpaired = [inputs[name] if name in inputs else targets[name] for name in sorted(lonely)]
    return PairFolder(pairs, unpaired)


def _find(folder: Path, names: tuple[str, ...]) -> Path | None:
    present = {path.name.lower(): path for path in sorted(folder.iterdir()) if path.is_dir()}
    return next((present[name] for name in names if name in present), None)


def _subfolder(folder: Path, names: tuple[str, ...], what: str) -> Path:
    found = _find(folder, names)
    if found is None:
        raise SemilarError(f"{folder}: no subfolder with {what} (looked for {', '.join(names)}).")
    return found


def _by_stem(folder: Path) -> dict[str, Path]:
    return {
        str(path.relative_to(folder).with_suffix("")): path for path in photo.find_photos(folder)
    }
