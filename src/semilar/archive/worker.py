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
from functools import partial
from itertools import takewhile
from typing import Any

from semilar.archive import restoring
from semilar.archive.restoring import TAR, BulkSettings
from semilar.archive.storage import Place, place
from semilar.errors import PhotoError
from semilar.restore import error_text

PhotoRow = dict[str, Any]
# Photos that are decoded before their turn, and that wait to be stored; so many times those that
# go through the network together.
_AHEAD = 2


@dataclass
class PhotoWork:
    """One photo on its way, and its row of the manifest."""

    row: PhotoRow
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

    def finished(self) -> PhotoRow:
        """The row, complete."""
        times = {f"{name}_seconds": round(value, 6) for name, value in self.times.items()}
        row = {**self.row, **times, "seconds": sum(times.values()), "at": datetime.now(UTC)}
        if self.error is not None:
            row |= {"status": "failed", "error": error_text(row["source"], self.error)}
        return row


class Worker:
    """Restores what it is given; whatever is wrong with a photo ends in its row."""

    def __init__(self, settings: BulkSettings) -> None:
        self.settings = settings
        self.target = place(settings.target, settings.storage)
        self.remover = settings.open()
        self.ahead = _AHEAD * settings.together
        self.readers = ThreadPoolExecutor(self.ahead, thread_name_prefix="read")
        self.writers = ThreadPoolExecutor(self.ahead, thread_name_prefix="write")

    def __call__(
        self, items: Iterable[PhotoRow], stop: Callable[[], bool] = lambda: False
    ) -> list[PhotoRow]:
        """The rows of the photos of `items`, each with the `number` of its item.

        Once `stop` says so no other item is begun.
        """
        rows: list[PhotoRow] = []
        plain = []
        for item in items:
            if item["source"].lower().endswith(TAR):
                from semilar.archive.shards import restore_shard

                rows += [] if stop() else restore_shard(self, item)
            else:
                plain.append(item)
        wanted = (partial(self._read, item) for item in takewhile(lambda _: not stop(), plain))
        return rows + [work.finished() for work in self.pipeline(wanted, self._write)]

    def pipeline(
        self, wanted: Iterator[Callable[[], PhotoWork]], write: Callable[[PhotoWork], PhotoWork]
    ) -> Iterator[PhotoWork]:
        """What each of `wanted` reads, restored and given to `write`; in their order."""
        reading: deque[Future[PhotoWork]] = deque()
        writing: deque[Future[PhotoWork]] = deque()
        while True:
            while len(reading) < self.ahead and (read := next(wanted, None)):
                reading.append(self.readers.submit(read))
            if not reading:
                break
            count = min(self.settings.together, len(reading))
            group = [reading.popleft().result() for _ in range(count)]
            self._restore([work for work in group if work.photo is not None])
            writing += [self.writers.submit(write, work) for work in group]
            while len(writing) > self.ahead:
                yield writing.popleft().result()
        for one in writing:
            yield one.result()

    def _restore(self, group: list[PhotoWork]) -> None:
        """Pixels with flare to pixels without; several go through the network together."""
        strength = self.settings.options.strength
        start = time.perf_counter()
        try:
            photos = [work.photo for work in group]
            results = self.remover.remove_together(photos, strength=strength) if photos[1:] else []
        except Exception:  # alone each can be told apart
            results = []
        if not results:
            for work in group:
                work.stage("restore", self.restore)
            return
        for work, result in zip(group, results, strict=True):
            self._restored(work, result)
            work.times["restore"] = (time.perf_counter() - start) / len(group)

    def _read(self, item: PhotoRow) -> PhotoWork:
        work = PhotoWork({name: item[name] for name in ("number", "source", "size", "mark")})
        work.stage("read", self._fetch, item)
        work.stage("decode", self.decode)
        work.content = b""
        return work

    def _write(self, work: PhotoWork) -> PhotoWork:
        work.stage("encode", self.encode, work.row.get("target"))
        work.photo = None
        work.stage("write", self._store)
        work.content = b""
        return work

    def _fetch(self, work: PhotoWork, item: PhotoRow) -> None:
        if item["error"]:
            raise PhotoError(f"{item['source']}: {item['error']}, {item['target']}.")
        target = safe(item["target"])
        work.content = place(item["source"], self.settings.storage).read()
        work.row["target"] = self.target.under(restoring.named(target, work.content)).url

    def decode(self, work: PhotoWork) -> None:
        """Bytes to pixels."""
        work.row["size"] = len(work.content)
        work.row["checksum"] = hashlib.sha256(work.content).hexdigest()
        work.photo = restoring.decode(work.content, work.row["source"], self.settings.options)

    def restore(self, work: PhotoWork) -> None:
        """Pixels with flare to pixels without."""
        options = self.settings.options
        self._restored(work, restoring.restore(work.photo, self.remover, options))

    def _restored(self, work: PhotoWork, result: Any) -> None:
        work.photo = result.image
        changed = result.found and self.settings.options.strength > 0
        work.row |= {
            "status": "restored" if changed else "unchanged",
            "found": str(result.found),
            "light": result.light,
        }

    def encode(self, work: PhotoWork, target: str) -> None:
        """Pixels to the bytes of a file."""
        work.content = restoring.encode(work.photo, target, self.settings.options)
        work.row["target_size"] = len(work.content)
        work.row["target_checksum"] = hashlib.sha256(work.content).hexdigest()

    def _store(self, work: PhotoWork) -> None:
        where = place(work.row["target"], self.settings.storage)
        if where.url == place(work.row["source"], self.settings.storage).url:
            raise PhotoError(f"{where.url}: is the photo itself.")
        where.write(work.content)

    def at(self, target: str) -> Place:
        """Where a result goes."""
        return self.target.under(safe(target))


def safe(target: str) -> str:
    """`target`, which must stay below the folder of results."""
    if not target.strip("/"):
        raise PhotoError("A result without a name has no place.")
    if ".." in target.replace("\\", "/").split("/") or target.startswith("/"):
        raise PhotoError(f"{target}: leads out of the folder of results.")
    return target
