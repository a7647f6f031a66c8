"""A folder that fills up: new photos are restored once nobody writes to them any more."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from semilar.errors import PhotoError, SettingError
from semilar.photo import find_photos
from semilar.restore.jobs import Job
from semilar.restore.naming import inside, is_result

FileState = tuple[int, int]  # size and time of the last change, nanoseconds


class Watcher:
    """Looks at a folder again and again, and names the photos that are ready.

    A photo is ready when its size and time have not changed between two looks at least `settle`
    seconds apart and its target is not there or is older. One that was handed out is not handed
    out again until it changes.
    """

    def __init__(
        self,
        source: Path,
        target: Path,
        *,
        settle: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not source.is_dir():
            raise PhotoError(f"{source}: there is no such folder.")
        if target.resolve() == source.resolve():
            raise SettingError(f"{target}: is the watched folder; results need another one.")
        self.source, self.target = source, target
        self.settle, self.clock = settle, clock
        self._seen: dict[Path, tuple[FileState, float]] = {}
        self._handed: dict[Path, FileState] = {}

    def look(self) -> list[Job]:
        """The photos that have become ready since the last look."""
        ready = []
        now = self.clock()
        present = dict(self._photos())
        self._seen = {path: seen for path, seen in self._seen.items() if path in present}
        self._handed = {path: state for path, state in self._handed.items() if path in present}
        for path, state in present.items():
            known, since = self._seen.get(path, (None, now))
            if known != state:
                self._seen[path] = (state, now)
                continue
            if now - since < self.settle or self._handed.get(path) == state:
                continue
            self._handed[path] = state
            job = Job(path, inside(self.target, path.relative_to(self.source), path))
            if not _done(job, state):
                ready.append(job)
        return ready

    def _photos(self) -> Iterator[tuple[Path, FileState]]:
        inside = self.target.resolve().is_relative_to(self.source.resolve())
        own = self.target.resolve() if inside else None
        for path in find_photos(self.source):
            if is_result(path) or (own and path.resolve().is_relative_to(own)):
                continue
            try:
                status = path.stat()
            except OSError:
                continue  # gone between listing and looking
            if status.st_size:
                yield path, (status.st_size, status.st_mtime_ns)


def _done(job: Job, state: FileState) -> bool:
    try:
        return job.target.stat().st_mtime_ns >= state[1]
    except OSError:
        return False
