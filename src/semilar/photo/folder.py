"""Photographs in a folder."""

from pathlib import Path

from semilar.photo.formats import known_suffixes
from semilar.photo.model import PhotoError


def find_photos(folder: Path) -> list[Path]:
    """Every photograph below `folder`, by suffix, sorted; hidden files and folders are passed."""
    folder = Path(folder)
    if not folder.is_dir():
        raise PhotoError(f"{folder}: there is no such folder.")
    suffixes = known_suffixes()
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in suffixes
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
    )
