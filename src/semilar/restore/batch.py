"""Many photos: several at a time, going on after a bad one, whole files only."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Literal

from semilar import photo as photos
from semilar.errors import OutputExistsError, PhotoError, SemilarError
from semilar.photo import Photo
from semilar.restore.found import Found
from semilar.restore.jobs import STREAM, Job
from semilar.restore.pipeline import Restored, ToFiles, from_file, pipe, with_remover
from semilar.restore.remover import Remover

# A session, or one that is being opened while the first photos are read.
Session = Remover | Future[Remover]
Status = Literal["restored", "unchanged", "skipped", "failed"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of one photo.

    `unchanged`: no flare was found, or none was to be taken, and the target is a plain copy.
    `light` and `working_size` are those of the `Result`. `notes` are what the person should know
    of the file.
    """

    job: Job
    status: Status
    error: Exception | None = None
    notes: tuple[str, ...] = ()
    found: Found = Found.NONE
    light: float = 0.0
    working_size: tuple[int, int] | None = None
    seconds: float = 0.0

    @property
    def message(self) -> str:
        """The text of the error, or the notes."""
        if self.error is None:
            return " ".join(self.notes)
        return error_text(shown(self.job.source), self.error)


@dataclass(frozen=True, kw_only=True)
class PhotoOptions:
    """What the person asked for, the same for every photo of a batch."""

    strength: float = 1.0
    mask: Path | None = None
    quality: int | None = None
    force: bool = False
    skip_existing: bool = False
    max_pixels: int = photos.DEFAULT_MAX_PIXELS
    first_frame: bool = False
    strip_gps: bool = False

    def source(self, source: Path | bytes, *, name: str | None = None) -> Iterator[Photo]:
        """A photo, read as the person wants it."""
        return from_file(
            source,
            name=name,
            max_pixels=self.max_pixels,
            first_frame=self.first_frame,
            strip_gps=self.strip_gps,
        )


def error_text(name: str, error: Exception) -> str:
    """What went wrong with the photo called `name`, for a person."""
    if isinstance(error, SemilarError):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return f"{name}: there is no such file."
    if isinstance(error, MemoryError):
        return f"{name}: needs more memory than there is."
    if isinstance(error, OSError):
        return f"{name}: {error.strerror or error}."
    return f"{name}: {type(error).__name__}: {error}"


def shown(source: Path) -> str:
    """A source's name in messages."""
    return "standard input" if source == STREAM else str(source)


def restore_file(job: Job, remover: Session, options: PhotoOptions) -> Outcome:
    """Restore one photo. Whatever is wrong with it ends in the outcome."""
    started = time.perf_counter()
    try:
        facts = _restore(job, remover, options)
    except Exception as error:  # a batch goes on whatever one file does
        facts = {"status": "failed", "error": error}
    return Outcome(job=job, seconds=time.perf_counter() - started, **facts)


def _opened(remover: Session) -> Remover:
    return remover.result() if isinstance(remover, Future) else remover


def _restore(job: Job, remover: Session, options: PhotoOptions) -> dict:
    """One file through the pipeline; gives what there is to say about it."""
    if options.skip_existing and job.target != STREAM and job.target.exists():
        return {"status": "skipped"}
    for target in job.targets:
        if target.exists() and not options.force:
            raise OutputExistsError(f"{target}: already exists.")
    source = sys.stdin.buffer.read() if job.source == STREAM else job.source
    write = ToFiles(
        scene=partial(_send, quality=options.quality) if job.target == STREAM else job.target,
        flare=job.flare,
        compare=job.compare,
        quality=options.quality,
        force=options.force,
    )
    facts: dict = {}

    def sink(restored: Restored) -> None:
        write(restored)
        before, result = restored.before, restored.result
        facts.update(
            status="restored" if result.found and options.strength > 0 else "unchanged",
            notes=before.notes + photos.losses(result.image, job.target),
            found=result.found,
            light=result.light,
            working_size=result.working_size,
        )

    def restore(photo: Photo) -> Restored:
        return with_remover(_opened(remover), strength=options.strength, mask=options.mask)(photo)

    pipe(options.source(source, name=shown(job.source)), restore, sink)
    return facts


def _send(photo: Photo, quality: int | None) -> None:
    """Write the file to standard output."""
    content = photos.encode(photo, quality=quality)
    try:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    except OSError as error:
        # What is left in the buffer would be tried again, and fail again, when the program ends.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        reason = error.strerror or error
        raise PhotoError(f"standard output: cannot be written ({reason}).") from None


def restore_jobs(
    jobs: Iterable[Job],
    remover: Session,
    options: PhotoOptions,
    *,
    workers: int = 1,
    stop: threading.Event | None = None,
) -> Iterator[Outcome]:
    """Restore all `jobs`, `workers` at a time; outcomes come as they are ready.

    Once `stop` is set no other photo begins; the outcomes of those that have begun still come.
    A session that cannot be opened is an error, not an outcome of each photo.
    """
    stop = stop or threading.Event()
    waiting = iter(jobs)
    with ThreadPoolExecutor(workers, thread_name_prefix="photo") as pool:
        running: set[Future[Outcome]] = set()
        while True:
            if not stop.is_set():
                running |= {
                    pool.submit(restore_file, job, remover, options)
                    for job in islice(waiting, workers - len(running))
                }
            if not running:
                return
            _opened(remover)
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for one in done:
                yield one.result()


@dataclass
class Tally:
    """Counts the outcomes as they come, and keeps a row of each for a machine to read."""

    counts: dict[Status, int] = field(
        default_factory=lambda: {"restored": 0, "unchanged": 0, "skipped": 0, "failed": 0}
    )
    rows: list[dict[str, object]] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """One more photo is done with."""
        self.counts[outcome.status] += 1
        self.rows.append(
            {
                "source": str(outcome.job.source),
                "target": str(outcome.job.target),
                "status": outcome.status,
                "message": outcome.message,
                "seconds": round(outcome.seconds, 3),
            }
        )

    def summary(self, seconds: float) -> dict[str, object]:
        """Everything as plain values."""
        return {**self.counts, "seconds": round(seconds, 3), "photos": self.rows}
