"""Ready pairs on disk: a folder of flared photos beside a folder of the same scenes without flare.

Pairs are matched by file name without suffix, never by position, so a missing file costs one pair
and never shifts the others; a JPEG may have a PNG as its partner. Where no names are equal, what
they say of a file's role does not count, as in `semilar evaluate`: `input_7` goes with `gt_7`.
"""

from dataclasses import dataclass
from pathlib import Path

from semilar.errors import SemilarError
from semilar.photo import photos_by_name

# Folder names in use, best first; compared without regard to capitals.
INPUT_NAMES = ("input", "flare", "flared", "blended", "lq", "degraded")
TARGET_NAMES = ("gt", "clear", "target", "clean", "reference", "hq")
FLARE_NAMES = ("la", "flare_layer")
MASK_NAMES = ("mask",)


@dataclass(frozen=True)
class Pair:
    """One labeled pair: the flared file, the clean file, flare layer and mask where they exist."""

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
    places = (
        _subfolder(folder, INPUT_NAMES, "flared photos"),
        _subfolder(folder, TARGET_NAMES, "the same scenes without flare"),
        _find(folder, FLARE_NAMES),
        _find(folder, MASK_NAMES),
    )
    inputs, targets, layers, masks = _named(places, roles=True)
    if not inputs.keys() & targets.keys():
        inputs, targets, layers, masks = _named(places, roles=False)
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


def _named(places: tuple[Path | None, ...], *, roles: bool) -> list[dict[str, Path]]:
    return [photos_by_name(place, roles=roles) if place else {} for place in places]
