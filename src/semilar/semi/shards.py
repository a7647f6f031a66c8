"""A repository split over processes: each photo has one writer, and reading sees them all."""

import shutil
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from semilar.errors import SemilarError
from semilar.semi.repository import Entry, Event, Repository
from semilar.semi.rule import Decision


def shard_path(folder: Path, rank: int) -> Path:
    """The database of one process."""
    return folder / f"shard-{rank:03d}.sqlite"


def shard_paths(folder: Path) -> list[Path]:
    """All databases of a repository."""
    return sorted(folder.glob("shard-*.sqlite"))


def reshard(folder: Path, owners: Sequence[Sequence[str]]) -> None:
    """Make one shard per process that holds exactly its own photos' entries.

    Does nothing where the shards already fit. The new shards are made beside the old ones and
    take their place at the end.
    """
    retired = folder.with_name(f".{folder.name}.old")
    if retired.exists() and not folder.exists():  # killed between the two renames below
        retired.rename(folder)
    old = shard_paths(folder)
    if not old or _fits(old, owners):
        return
    beside = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(beside, ignore_errors=True)
    sources = [Repository(path) for path in old]
    for rank, keys in enumerate(owners):
        with Repository(shard_path(beside, rank)) as target:
            for source in sources:
                target.adopt(source, keys)
    for source in sources:
        source.close()
    shutil.rmtree(retired, ignore_errors=True)
    folder.rename(retired)
    beside.rename(folder)
    shutil.rmtree(retired)


def _fits(paths: Sequence[Path], owners: Sequence[Sequence[str]]) -> bool:
    if len(paths) != len(owners):
        return False
    for path, keys in zip(paths, owners, strict=True):
        with Repository(path) as shard:
            if not set(shard.photo_keys()) <= set(keys):
                return False
    return True


class MergedRepository:
    """All shards of a folder (or a single database file), read as one."""

    def __init__(self, path: Path) -> None:
        paths = shard_paths(path) if path.is_dir() else [path]
        if not paths:
            nested = path / "repository"
            paths = shard_paths(nested)
        if not paths:
            raise SemilarError(f"{path}: no repository of pseudo labels is there.")
        self._shards = [Repository(path, readonly=True) for path in paths]

    def photo_keys(self) -> list[str]:
        """The keys of all entries."""
        return sorted(chain.from_iterable(shard.photo_keys() for shard in self._shards))

    def entry(self, key: str) -> Entry | None:
        """What is kept under a key, or None."""
        return next((found for shard in self._shards if (found := shard.entry(key))), None)

    def entries(self) -> Iterator[Entry]:
        """All entries, by key."""
        for key in self.photo_keys():
            found = self.entry(key)
            if found is not None:
                yield found

    def events(self, key: str | None = None) -> list[Event]:
        """Every candidate ever offered, oldest first."""
        found = [event for shard in self._shards for event in shard.events(key)]
        return sorted(found, key=lambda event: event.step)

    def totals(self) -> dict[Decision, int]:
        """How many candidates met each outcome."""
        parts = [shard.totals() for shard in self._shards]
        return {outcome: sum(part[outcome] for part in parts) for outcome in Decision}
