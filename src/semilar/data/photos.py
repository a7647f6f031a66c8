"""Photographs as arrays of a fixed short side, decoded once and kept in memory."""

import fnmatch
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Protocol

import numpy as np
from PIL import Image

from semilar import photo
from semilar.caches import ByteCache
from semilar.config import Folder, Part, Share
from semilar.errors import SemilarError
from semilar.flare import night_scene
from semilar.photo import Bytes

CACHE_MEGABYTES = 1000
"""Decoded photographs that a process keeps in memory, unless the recipe says otherwise."""


def resize(pixels: Bytes, height: int, width: int) -> Bytes:
    """Encoded pixels at another size; shrinking averages, so that nothing flickers."""
    if pixels.shape[:2] == (height, width):
        return pixels
    picture = Image.fromarray(pixels).resize(
        (width, height), Image.Resampling.BILINEAR, reducing_gap=2.0
    )
    return np.asarray(picture)


def with_short_side(pixels: Bytes, side: int) -> Bytes:
    """Encoded pixels with the aspect kept and the shorter side of `side` pixels."""
    height, width = pixels.shape[:2]
    factor = side / min(height, width)
    return resize(pixels, max(side, round(height * factor)), max(side, round(width * factor)))


class Pictures(Protocol):
    """Numbered pictures, encoded; the same number always gives the same one."""

    def __len__(self) -> int: ...

    def __call__(self, index: int) -> Bytes: ...


class DrawnScenes:
    """Night scenes drawn by the package, for people who have no photographs without flare.

    Those held out for validation are other scenes than those for training.
    """

    def __init__(self, *, side: int, held_out: bool = False) -> None:
        self._first, self._count = (10_000, 8) if held_out else (0, 48)
        self._size = side, round(side * 4 / 3)

    def __len__(self) -> int:
        return self._count

    def __call__(self, index: int) -> Bytes:
        return _drawn(self._first + index, self._size)


@lru_cache(maxsize=64)
def _drawn(seed: int, size: tuple[int, int]) -> Bytes:
    return night_scene(seed, size)


class PhotoCache:
    """`cache(index)` gives photo `index` with short side `side`; those that fit stay in memory.

    A stateless look at files: which photos are in memory changes the time, never the answer.
    """

    def __init__(
        self, paths: Sequence[Path], *, side: int, megabytes: int = CACHE_MEGABYTES
    ) -> None:
        self.paths, self.side = list(paths), side
        self._kept = ByteCache(self._read, size=attrgetter("nbytes"), budget=megabytes * 2**20)

    def __len__(self) -> int:
        return len(self.paths)

    def __call__(self, index: int) -> Bytes:
        return self._kept(index)

    def _read(self, index: int) -> Bytes:
        pixels = photo.to_depth(photo.read(self.paths[index]).pixels, 8)
        return with_short_side(pixels, self.side)


class PhotoFolder(Part):
    """Which photographs of a folder to take."""

    folder: Folder | None = None
    """Searched with its subfolders. Empty takes drawn night scenes, where backgrounds are asked
    for."""
    include: tuple[str, ...] = ()
    """File name patterns such as `*night*`; empty includes all."""
    exclude: tuple[str, ...] = ()
    names: Folder | None = None
    """A text file with one file name per line; only those are taken."""
    holdout: Share = 0.0
    """The share of files kept apart for validation, chosen by name; of several at least one."""

    @property
    def place(self) -> Path:
        """The folder, where one has to be named."""
        if self.folder is None:
            raise SemilarError("No folder of photographs is named.")
        return self.folder

    def find(self, *, held_out: bool = False) -> list[Path]:
        """The files for training, or with `held_out` the others; an empty list is an error."""
        chosen = self._chosen()
        apart = {path for path in chosen if _place(path) < self.holdout}
        if self.holdout and not apart and len(chosen) > 1:
            apart = {min(chosen, key=_place)}
        wanted = [path for path in chosen if (path in apart) == held_out]
        if not wanted:
            part = " held out for validation" if held_out else ""
            raise SemilarError(f"{self.place}: no photographs{part} were found there.")
        return wanted

    def _chosen(self) -> list[Path]:
        if not self.place.is_dir():
            raise SemilarError(f"{self.place}: no such folder.")
        paths = photo.find_photos(self.place)
        if self.names is not None:
            if not self.names.is_file():
                raise SemilarError(f"{self.names}: no such file (a list of file names).")
            listed = {line.strip() for line in self.names.read_text(encoding="utf-8").splitlines()}
            paths = [path for path in paths if path.name in listed]
        if self.include:
            paths = [path for path in paths if _matches(path, self.include)]
        return [path for path in paths if not _matches(path, self.exclude)]


def _place(path: Path) -> float:
    """A number from 0 to 1 that the file's name alone decides."""
    digest = hashlib.blake2b(path.stem.encode(), digest_size=4).digest()
    return int.from_bytes(digest) / 2**32


def _matches(path: Path, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns)
