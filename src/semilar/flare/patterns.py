"""Folders of flare patterns on black: Flare7K, Flare7K++, FlareX as published, or one's own.

Layouts are found by the names of folders, at any depth:

    Compound_Flare/ beside Light_Source/   Flare7K, Flare-R and FlareX's Flare2D
    Flare_Img/ beside Light_Img/           FlareX's Flare3D
    Reflective_Flare/                      reflective patterns
    pictures anywhere else                 a folder of one's own, without light-source files
"""

import re
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

from semilar.caches import ByteCache
from semilar.errors import SemilarError
from semilar.flare.decode import Decoded, decode

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")
PAIRS = {"compound_flare": "light_source", "flare_img": "light_img"}
REFLECTIVE = "reflective_flare"


@dataclass(frozen=True)
class Pattern:
    """One pattern on disk, and the file of its light source where there is one."""

    flare: Path
    light: Path | None


class PatternSet:
    """The patterns below a folder, in groups that are drawn with equal probability.

    `cache_bytes` bounds the decoded patterns that are kept in memory.
    """

    def __init__(self, folder: Path, *, cache_bytes: int = 1 << 30) -> None:
        self.folder = Path(folder)
        self.groups = find_groups(self.folder)
        self.reflective = find_reflective(self.folder)
        self._kept = ByteCache(_decoded, size=attrgetter("nbytes"), budget=cache_bytes)

    def __len__(self) -> int:
        return sum(len(group) for group in self.groups)

    def decode(self, pattern: Pattern) -> Decoded:
        """The pattern's pixels, decoded once as long as they fit into memory."""
        return self._kept(pattern)


def _decoded(pattern: Pattern) -> Decoded:
    return decode(pattern.flare, pattern.light)


def find_groups(folder: Path) -> list[list[Pattern]]:
    """Patterns by layout; a folder without any is an error."""
    if not folder.is_dir():
        raise SemilarError(f"{folder}: no such folder of flare patterns.")
    folders = [folder, *sorted(path for path in folder.rglob("*") if path.is_dir())]
    groups = []
    for flares in folders:
        partner = PAIRS.get(flares.name.lower())
        lights = _sibling(flares, partner) if partner else None
        if partner and _pictures(flares):
            groups.append(_pair(_pictures(flares), _pictures(lights) if lights else None))
    if not groups:
        own = [Pattern(path, None) for path in _pictures(folder, deep=True)]
        groups = [own] if own else []
    if not groups:
        raise SemilarError(
            f"{folder}: no flare patterns here; expected pictures of flares on black."
        )
    return groups


def find_reflective(folder: Path) -> list[Pattern]:
    """Patterns of reflective flares, if the folder has any."""
    named = [path for path in folder.rglob("*") if path.name.lower() == REFLECTIVE]
    return [Pattern(path, None) for found in sorted(named) for path in _pictures(found, deep=True)]


def _pair(flares: list[Path], lights: list[Path] | None) -> list[Pattern]:
    """Match files by number (or name): never by order, where one missing file shifts all."""
    if lights is None:
        return [Pattern(path, None) for path in flares]
    by_key = {_key(path): path for path in lights}
    missing = [path for path in flares if _key(path) not in by_key]
    if missing:
        raise SemilarError(
            f"{missing[0]}: no light-source file of the same number in {lights[0].parent} "
            f"({len(missing)} of {len(flares)} flares lack theirs)."
            if lights
            else f"{missing[0]}: its folder of light sources is empty."
        )
    return [Pattern(path, by_key[_key(path)]) for path in flares]


def _key(path: Path) -> str:
    numbers = re.findall(r"\d+", path.stem)
    return str(int(numbers[-1])) if numbers else path.stem.lower()


def _sibling(folder: Path, name: str) -> Path | None:
    for path in sorted(folder.parent.iterdir()):
        if path.is_dir() and path.name.lower() == name:
            return path
    return None


def _pictures(folder: Path, *, deep: bool = False) -> list[Path]:
    found = folder.rglob("*") if deep else folder.iterdir()
    return sorted(path for path in found if path.suffix.lower() in SUFFIXES and path.is_file())
