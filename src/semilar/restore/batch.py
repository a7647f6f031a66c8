"""Many photos: several at a time, going on after a bad one, whole files only."""

import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal

from semilar import photo as photos
from semilar.errors import SemilarError
from semilar.files import OutputExistsError
from semilar.restore.compare import side_by_side
from semilar.restore.jobs import Job
from semilar.restore.remover import Remover

Status = Literal["restored", "unchanged", "skipped", "failed"]


@dataclass(frozen=True)
class Outcome:
    """What became of one photo. `unchanged`: no flare was found, the target is a plain copy."""

    source: Path
    target: Path
    status: Status
    message: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the person asked for, the same for every photo of a batch."""

    strength: float = 1.0
    mask: Path | None = None
    quality: int | None = None
    force: bool = False
    skip_existing: bool = False
    max_pixels: int = photos.DEFAULT_MAX_PIXELS
    first_frame: bool = False
    strip_gps: bool = False

    def read(self, source: Path | bytes, *, name: str | None = None) -> photos.Photo:
        """Read a photo as the person wants it."""
        return photos.read(
            source,
            name=name,
            max_pixels=self.max_pixels,
            first_frame=self.first_frame,
            strip_gps=self.strip_gps,
        )


def restore_file(job: Job, remover: Remover, wishes: Wishes) -> Outcome:
    """Restore one photo. Whatever is wrong with it ends in the outcome, in one sentence."""
    started = time.perf_counter()

    def outcome(status: Status, message: str = "") -> Outcome:
        return Outcome(job.source, job.target, status, message, time.perf_counter() - started)

    try:
        if job.target.exists() and wishes.skip_existing:
            return outcome("skipped")
        for target in job.targets:
            if target.exists() and not wishes.force:
                raise OutputExistsError(f"{target}: already exists; use --force to replace it.")
        before = wishes.read(job.source)
        result = remover.remove(before, strength=wishes.strength, mask=wishes.mask)
        photos.write(result.image, job.target, quality=wishes.quality, force=wishes.force)
        if job.flare:
            photos.write(result.flare, job.flare, force=wishes.force)
        if job.compare:
            photos.write(side_by_side(before, result.image), job.compare, force=wishes.force)
        notes = before.notes + photos.losses(result.image, job.target)
        return outcome("restored" if result.found else "unchanged", " ".join(notes))
    except SemilarError as error:
        return outcome("failed", str(error))
    except MemoryError:
        return outcome("failed", f"{job.source}: needs more memory than there is.")
    except OSError as error:
        return outcome("failed", f"{job.source}: {error.strerror or error}.")
    except Exception as error:  # a batch goes on whatever one file does
        return outcome("failed", f"{job.source}: {type(error).__name__}: {error}")


def run(
    jobs: Iterable[Job],
    remover: Remover,
    wishes: Wishes,
    *,
    workers: int = 1,
) -> Iterator[Outcome]:
    """Restore all `jobs`, `workers` at a time; outcomes come as they are ready.

    If the caller stops (Ctrl-C), photos that have begun are finished and no others begin.
    """
    stop = threading.Event()

    def work(job: Job) -> Outcome | None:
        return None if stop.is_set() else restore_file(job, remover, wishes)

    waiting = iter(jobs)
    with ThreadPoolExecutor(workers, thread_name_prefix="photo") as pool:
        running: set[Future[Outcome | None]] = set()
        try:
            while True:
                running |= {
                    pool.submit(work, job) for job in islice(waiting, workers - len(running))
                }
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for one in done:
                    if (outcome := one.result()) is not None:
                        yield outcome
        finally:
            stop.set()


def summary(outcomes: Iterable[Outcome], seconds: float) -> dict[str, object]:
    """Counts and rows for a machine to read."""
    rows = [
        {
            "source": str(one.source),
            "target": str(one.target),
            "status": one.status,
            "message": one.message,
            "seconds": round(one.seconds, 3),
        }
        for one in outcomes
    ]
    counts = {
        status: sum(row["status"] == status for row in rows)
        for status in ("restored", "unchanged", "skipped", "failed")
    }
    return {**counts, "seconds": round(seconds, 3), "photos": rows}
