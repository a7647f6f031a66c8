"""Pictures of several folders that belong together: by name, never by position."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from semilar.errors import SemilarError
from semilar.photo import photos_by_name

_NAMED = 5  # how many file names an error lists


@dataclass(frozen=True)
class Series:
    """One picture of the set: its name and the file each role has for it."""

    name: str
    files: Mapping[str, Path]  # role ("result", "truth", "mask", ...) -> file


def pair_folders(folders: Mapping[str, Path]) -> list[Series]:
    """Match the pictures of all folders by their names, suffixes aside.

    Where plain names do not match, the role in the name is left away: `input_7.png` goes with
    `gt_7.jpg`. A picture without a partner in every folder is an error that names it.
    """
    plain = {role: photos_by_name(folder) for role, folder in folders.items()}
    for role, files in plain.items():
        if not files:
            raise SemilarError(f"{folders[role]}: holds no pictures.")
    sets = [set(files) for files in plain.values()]
    if all(names == sets[0] for names in sets):
        return _series(plain)
    stripped = {role: photos_by_name(folder, roles=False) for role, folder in folders.items()}
    _check_complete(stripped, folders)
    return _series(stripped)


def _check_complete(keyed: Mapping[str, Mapping[str, Path]], folders: Mapping[str, Path]) -> None:
    for role, files in keyed.items():
        for other, partners in keyed.items():
            lonely = [file.name for key, file in files.items() if key not in partners]
            if lonely:
                more = f" and {len(lonely) - _NAMED} more" if len(lonely) > _NAMED else ""
                raise SemilarError(
                    f"{folders[other]}: has no partner for {', '.join(lonely[:_NAMED])}{more} "
                    f"of {folders[role]}."
                )


def _series(keyed: Mapping[str, Mapping[str, Path]]) -> list[Series]:
    names = sorted(next(iter(keyed.values())))
    return [Series(name, {role: files[name] for role, files in keyed.items()}) for name in names]
