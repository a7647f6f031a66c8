"""Names of the files that come out."""

from pathlib import Path

from semilar.photo import FORMATS, RAW_SUFFIXES, known_suffixes, sniff

MARK = ".deflared"


def beside(source: Path) -> Path:
    """The name of the restored photo beside its original.

    >>> beside(Path("a/street.jpg")).as_posix()
    'a/street.deflared.jpg'
    >>> beside(Path("a/street.nef")).as_posix()
    'a/street.deflared.tif'
    """
    name = Path(source.name)
    if name.suffix.lower() in known_suffixes():
        return source.with_name(f"{name.stem}{MARK}{_written(name.suffix)}")
    return source.with_name(f"{name}{MARK}{_suffix_by_content(source)}")


def inside(folder: Path, place: Path, source: Path) -> Path:
    """The name of the restored photo in a folder of results: the same as that of `source`.

    Camera files become TIFF, and a name that does not say its format gets a suffix that does.

    >>> inside(Path("out"), Path("a/street.nef"), Path("in/a/street.nef")).as_posix()
    'out/a/street.tif'
    """
    if place.suffix.lower() in known_suffixes():
        return folder / place.with_suffix(_written(place.suffix))
    return folder / place.with_name(f"{place.name}{_suffix_by_content(source)}")


def numbered(target: Path, number: int) -> Path:
    """Another name for a photo whose own is taken.

    >>> numbered(Path("out/street.jpg"), 2).as_posix()
    'out/street-2.jpg'
    >>> numbered(Path("street.deflared.jpg"), 2).as_posix()
    'street-2.deflared.jpg'
    """
    mark = MARK if is_result(target) else ""
    stem = target.stem.removesuffix(MARK)
    return target.with_name(f"{stem}-{number}{mark}{target.suffix}")


def is_result(path: Path) -> bool:
    """Whether the name says that `path` is a restored photo."""
    return path.stem.endswith(MARK)


def _written(suffix: str) -> str:
    """The same suffix, but for camera files, which come back as TIFF."""
    return ".tif" if suffix.lower() in RAW_SUFFIXES else suffix


def _suffix_by_content(source: Path) -> str:
    """The usual suffix of the format that the file's first bytes show; empty if they show none."""
    try:
        with source.open("rb") as file:
            kind = sniff(file.read(64))
    except OSError:  # the error comes when it is read
        kind = None
    return FORMATS[kind].suffixes[0] if kind else ""
