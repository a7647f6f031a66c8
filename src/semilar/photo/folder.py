"""Photographs in a folder."""

import os
from collections.abc import Callable
from pathlib import Path

from semilar.photo.formats import known_suffixes
from semilar.photo.model import PhotoError


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
