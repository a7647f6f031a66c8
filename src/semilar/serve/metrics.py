"""Counts for Prometheus, in its text format."""

import os
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

from semilar.serve.work import Work

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


@dataclass
class Histogram:
    """How often a duration fell between which bounds."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(_BOUNDS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(_BOUNDS, seconds)] += 1
        self.total += seconds


@dataclass
class Metrics:
    """What one process of the service has done since it began."""

    answers: Counter[int] = field(default_factory=Counter)
    photos: Counter[bool] = field(default_factory=Counter)
    received: int = 0
    sent: int = 0
    job: Histogram = field(default_factory=Histogram)
    wait: Histogram = field(default_factory=Histogram)

    def answered(self, status: int) -> None:
        """Count an answer."""
        self.answers[status] += 1

    def text(self, work: Work) -> str:
        """Everything, one value a line. With several workers each tells its own."""
        lines = _plain("requests_total", "counter", "Answers by status.", self._by_status())
        lines += _plain("photos_total", "counter", "Restored photos.", self._by_found())
        lines += _plain("received_bytes_total", "counter", "Photos in.", {"": self.received})
        lines += _plain("sent_bytes_total", "counter", "Photos out.", {"": self.sent})
        lines += _plain("jobs_running", "gauge", "Photos being worked on.", {"": work.running})
        waiting = max(0, work.taken - work.running)
        lines += _plain("requests_waiting", "gauge", "Requests with a place.", {"": waiting})
        lines += _histogram("job_seconds", "Time to restore a photo.", self.job)
        lines += _histogram("wait_seconds", "Time before a photo's turn.", self.wait)
        return "\n".join(lines) + "\n"

    def _by_status(self) -> dict[str, float]:
        return {f'status="{status}"': count for status, count in sorted(self.answers.items())}

    def _by_found(self) -> dict[str, float]:
        return {f'flare="{str(found).lower()}"': self.photos[found] for found in (False, True)}


def _plain(name: str, kind: str, text: str, values: dict[str, float]) -> list[str]:
    lines = [f"# HELP semilar_{name} {text}", f"# TYPE semilar_{name} {kind}"]
    return lines + [_line(name, labels, value) for labels, value in values.items()]


def _histogram(name: str, text: str, histogram: Histogram) -> list[str]:
    lines = [f"# HELP semilar_{name} {text}", f"# TYPE semilar_{name} histogram"]
    below = 0
    for bound, count in zip((*_BOUNDS, "+Inf"), histogram.counts, strict=True):
        below += count
        lines.append(_line(f"{name}_bucket", f'le="{bound}"', below))
    return [*lines, _line(f"{name}_sum", "", histogram.total), _line(f"{name}_count", "", below)]


def _line(name: str, labels: str, value: float) -> str:
    worker = f'worker="{os.getpid()}"'
    return f"semilar_{name}{{{', '.join(filter(None, (labels, worker)))}}} {value:g}"
