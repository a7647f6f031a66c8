"""Names of the files that come out."""

from pathlib import Path

from semilar.photo.formats import RAW_SUFFIXES

MARK = ".deflared"


def beside(source: Path) -> Path:
    """The name of the restored photo beside its original.

    >>> beside(Path("a/street.jpg")).as_posix()
    'a/street.deflared.jpg'
    >>> beside(Path("a/street.nef")).as_posix()
    'a/street.deflared.tif'
    """
    return writable(source.with_name(f"{source.stem}{MARK}{source.suffix}"))


def writable(target: Path) -> Path:
    """The same name, but for camera files, which come back as TIFF."""
    raw = target.suffix.lower() in RAW_SUFFIXES
    return target.with_suffix(".tif") if raw else target


def is_result(path: Path) -> bool:
    """Whether the name says that `path` is a restored photo."""
    return path.stem.endswith(MARK)
