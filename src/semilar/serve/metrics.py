"""Counts for Prometheus, over all processes of the service.

One process counts in its memory. Several write to files in a folder that they share
(`$PROMETHEUS_MULTIPROC_DIR`, set by `running`), and whichever is asked adds them up.
"""

import contextlib
import os
from pathlib import Path

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from semilar.serve.found import WORDS, FoundFlare

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
MEDIA_TYPE = CONTENT_TYPE_LATEST
_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """What the service has done since it began."""

    def __init__(self) -> None:
        disable_created_metrics()
        self._registry = registry = CollectorRegistry()

        def gauge(name: str, text: str) -> Gauge:
            return Gauge(name, text, registry=registry, multiprocess_mode="livesum")

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(name, text, labels, registry=registry)

        def histogram(name: str, text: str) -> Histogram:
            return Histogram(name, text, buckets=_BOUNDS, registry=registry)

        self._answers = counter("semilar_requests", "Answers by status.", "status")
        self._photos = counter("semilar_photos", "Restored photos by flare found.", "flare")
        self._received = counter("semilar_received_bytes", "Photos in.")
        self._sent = counter("semilar_sent_bytes", "Photos out.")
        self._running = gauge("semilar_jobs_running", "Photos being worked on.")
        self._waiting = gauge("semilar_requests_waiting", "Requests with a place.")
        self._job = histogram("semilar_job_seconds", "Time to restore a photo.")
        self._wait = histogram("semilar_wait_seconds", "Time before a photo's turn.")
        for word in WORDS:  # a count of 0 is told too
            self._photos.labels(word)

    def answered(self, status: int) -> None:
        """Count an answer."""
        self._answers.labels(status).inc()

    def restored(
        self, found: FoundFlare, *, received: int, sent: int, work: float, wait: float
    ) -> None:
        """Count a photo: bytes in and out, seconds of work and of waiting."""
        self._photos.labels(found.word).inc()
        self._received.inc(received)
        self._sent.inc(sent)
        self._job.observe(work)
        self._wait.observe(wait)

    def busy(self, running: int, waiting: int) -> None:
        """What is going on now."""
        self._running.set(running)
        self._waiting.set(waiting)

    def text(self) -> bytes:
        """Everything, of all processes together."""
        folder = os.environ.get(FOLDER_VARIABLE)
        if folder is None:
            return generate_latest(self._registry)
        forget_the_dead(Path(folder))
        together = CollectorRegistry()
        MultiProcessCollector(together, folder)
        return generate_latest(together)


def forget_the_dead(folder: Path) -> None:
    """What a process was doing when it was killed is not going on any more."""
    for file in folder.glob("gauge_live*_*.db"):
        process = int(file.stem.rpartition("_")[2])
        if not _alive(process):
            with contextlib.suppress(FileNotFoundError):  # another process was faster
                mark_process_dead(process, str(folder))


def _alive(process: int) -> bool:
    if os.name != "posix":  # there signal 0 would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
