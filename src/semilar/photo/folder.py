"""Photographs in a folder, and the names by which those of several folders belong together."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from semilar.photo.formats import known_suffixes
from semilar.photo.model import PhotoError

# Data sets put the role into the file name: input_000001.png, gt_000001.png, 000001_mask.png.
_ROLES = "input|gt|target|truth|mask|output|result|pred|restored|blend|deflare|flare|clear|clean"
_ROLE = re.compile(rf"^(?:{_ROLES})[_-]+(?=.)|(?<=.)[_-]+(?:{_ROLES})$", re.IGNORECASE)


def find_photos(
    folder: Path, *, unreadable: Callable[[PhotoError], None] | None = None
) -> list[Path]:
    """Every photograph below `folder`, by suffix, sorted; hidden files and folders are left out.

    A folder that cannot be read is an error; with `unreadable`, that is called with the error and
    the search goes on elsewhere.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise PhotoError(f"{folder}: there is no such folder.")

    def refused(error: OSError) -> None:
        problem = PhotoError(f"{error.filename}: cannot be read ({error.strerror}).")
        if unreadable is None:
            raise problem from None
        unreadable(problem)

    suffixes = known_suffixes()
    found = []
    for place, folders, files in os.walk(folder, onerror=refused):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (Path(place, name) for name in files if not name.startswith("."))
        found += [path for path in paths if path.suffix.lower() in suffixes and path.is_file()]
    return sorted(found)


def photos_by_name(folder: Path, *, roles: bool = True) -> dict[str, Path]:
    """Every photograph below `folder` by its name, suffix aside; the same name twice is an error.

    Without `roles`, what a file is for does not count: `input_7.png` and `gt_7.jpg` are both `7`.
    """
    found: dict[str, Path] = {}
    for file in find_photos(folder):
        place = file.relative_to(folder)
        name = place.with_name(place.stem if roles else _ROLE.sub("", place.stem)).as_posix()
        if name in found:
            raise PhotoError(f"{file}: has the same name as {found[name].name}; keep one of them.")
        found[name] = file
    return found
