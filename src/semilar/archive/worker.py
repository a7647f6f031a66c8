"""A worker: holds the model and takes one handful of photos after another.

The next photos are fetched and decoded, and the last ones encoded and stored, while the network
works on the one between; at most a few are held at any moment.
"""

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from semilar.archive import restoring
from semilar.archive.restoring import TAR, Settings
from semilar.archive.storage import Place, place
from semilar.errors import PhotoError

Row = dict[str, Any]
_AHEAD = 2  # photos that are decoded before their turn, and that wait to be stored


@dataclass
class Work:
    """One photo on its way, and its row of the manifest."""

    row: Row
    content: bytes = b""
    photo: Any = None
    error: Exception | None = None
    times: dict[str, float] = field(default_factory=dict)

    def stage(self, name: str, call: Callable[..., None], *args: Any) -> None:
        """Do and time a stage; what fails there fails the photo and nothing else."""
        if self.error is not None:
            return
        start = time.perf_counter()
        try:
            call(self, *args)
        except Exception as error:
            self.error = error
        self.times[name] = time.perf_counter() - start

    def finished(self) -> Row:
        """The row, complete."""
        times = {f"{name}_seconds": round(value, 6) for name, value in self.times.items()}
        row = {**self.row, **times, "seconds": sum(times.values()), "at": datetime.now(UTC)}
        if self.error is not None:
            row |= {"status": "failed", "error": restoring.sentence(row["source"], self.error)}
        return row


class Worker:
    """Restores what it is given; whatever is wrong with a photo ends in its row."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.target = place(settings.target, settings.storage)
        self.remover = settings.open()
        self.readers = ThreadPoolExecutor(_AHEAD, thread_name_prefix="read")
        self.writers = ThreadPoolExecutor(_AHEAD, thread_name_prefix="write")

    def __call__(self, items: Iterable[Row]) -> list[Row]:
        """The rows of the photos of `items`, each with the `number` of its item."""
        rows: list[Row] = []
        plain = []
        for item in items:
            if item["source"].lower().endswith(TAR):
                from semilar.archive.shards import restore_shard

                rows += restore_shard(self, item)
            else:
                plain.append(item)
        return rows + [work.finished() for work in self._pipeline(plain)]

    def _pipeline(self, items: list[Row]) -> Iterator[Work]:
        waiting = iter(items)
        reading: deque[Future[Work]] = deque()
        writing: deque[Future[Work]] = deque()
        while True:
            while len(reading) < _AHEAD and (item := next(waiting, None)):
                reading.append(self.readers.submit(self._read, item))
            if not reading:
                break
            work = reading.popleft().result()
            work.stage("restore", self.restore)
            writing.append(self.writers.submit(self._write, work))
            if len(writing) > _AHEAD:
                yield writing.popleft().result()
        for one in writing:
            yield one.result()

    def _read(self, item: Row) -> Work:
        work = Work({name: item[name] for name in ("number", "source", "size", "mark")})
        work.stage("read", self._fetch, item)
        work.stage("decode", self.decode)
        work.content = b""
        return work

    def _write(self, work: Work) -> Work:
        work.stage("encode", self.encode, work.row.get("target"))
        work.photo = None
        work.stage("write", self._store)
        work.content = b""
        return work

    def _fetch(self, work: Work, item: Row) -> None:
        if item["error"]:
            raise PhotoError(f"{item['source']}: {item['error']}, {item['target']}.")
        target = _safe(item["target"])
        work.content = place(item["source"], self.settings.storage).read()
        work.row["target"] = self.target.under(restoring.named(target, work.content)).url

    def decode(self, work: Work) -> None:
        """Bytes to pixels."""
        work.row["size"] = len(work.content)
        work.row["checksum"] = hashlib.sha256(work.content).hexdigest()
        work.photo = restoring.decode(work.content, work.row["source"], self.settings.wishes)

    def restore(self, work: Work) -> None:
        """Pixels with flare to pixels without."""
        wishes = self.settings.wishes
        restored = restoring.restore(work.photo, self.remover, wishes)
        result, work.photo = restored.result, restored.picture()
        work.row |= {
            "status": "restored" if result.found and wishes.strength > 0 else "unchanged",
            "found": str(result.found),
            "light": result.light,
        }

    def encode(self, work: Work, target: str) -> None:
        """Pixels to the bytes of a file."""
        work.content = restoring.encode(work.photo, target, self.settings.wishes)
        work.row["target_size"] = len(work.content)
        work.row["target_checksum"] = hashlib.sha256(work.content).hexdigest()

    def _store(self, work: Work) -> None:
        where = place(work.row["target"], self.settings.storage)
        if where.url == place(work.row["source"], self.settings.storage).url:
            raise PhotoError(f"{where.url}: is the photo itself.")
        where.write(work.content)

    def at(self, target: str) -> Place:
        """Where a result goes."""
        return self.target.under(_safe(target))


def _safe(target: str) -> str:
    """`target`, which must stay below the folder of results."""
    if ".." in target.replace("\\", "/").split("/") or target.startswith("/"):
        raise PhotoError(f"{target}: leads out of the folder of results.")
    return target
