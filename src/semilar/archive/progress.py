"""How far a run is, for people and for Prometheus."""

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

_RECENT = 60.0  # seconds over which the speed is told


@dataclass
class Progress:
    """Counts of this run: `total` photos to do, of which `done` are, `failed` among them."""

    total: int
    done: int = 0
    failed: int = 0
    began: float = field(default_factory=time.monotonic)
    _recent: deque[tuple[float, int]] = field(default_factory=deque)

    def add(self, rows: list[dict[str, Any]], items: int) -> None:
        """`items` of the plan are done with; a shard is one of them and has many rows."""
        now = time.monotonic()
        self.done += items
        self.failed += sum(row["status"] == "failed" for row in rows)
        self._recent.append((now, self.done))
        while len(self._recent) > 2 and now - self._recent[0][0] > _RECENT:
            self._recent.popleft()

    @property
    def seconds(self) -> float:
        """Since the work began."""
        return time.monotonic() - self.began

    @property
    def rate(self) -> float:
        """Photos per second of late."""
        if len(self._recent) < 2:
            return self.done / max(self.seconds, 1e-9)
        (first, before), (last, after) = self._recent[0], self._recent[-1]
        return (after - before) / max(last - first, 1e-9)

    @property
    def left(self) -> float | None:
        """Seconds to go; None as long as nobody can tell."""
        return (self.total - self.done) / self.rate if self.done and self.rate else None

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.done / self.total if self.total else 1.0

    def line(self) -> str:
        """One line of text.

        >>> Progress(total=10).line()
        '0 of 10 photos (0 %), 0 failed'
        """
        text = f"{self.done} of {self.total} photos ({self.share:.0%}), {self.failed} failed"
        text = text.replace("%", " %")
        if self.left is None:
            return text
        return f"{text}, {self.rate:.2f} photos/s, {_clock(self.left)} left"


def _clock(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}"


class Exporter:
    """The progress as Prometheus metrics on `http://HOST:PORT/metrics`."""

    def __init__(self, progress: Progress, port: int, host: str = "127.0.0.1") -> None:
        from prometheus_client import CollectorRegistry, Gauge, start_http_server

        registry = CollectorRegistry()
        measures = {
            "photos_planned": ("Photos to do in this run.", lambda: progress.total),
            "photos_done": ("Photos done with.", lambda: progress.done),
            "photos_failed": ("Photos that failed.", lambda: progress.failed),
            "photos_per_second": ("Speed over the last minute.", lambda: progress.rate),
            "seconds_left": ("Time to go at this speed.", lambda: progress.left or 0.0),
        }
        for name, (text, value) in measures.items():
            Gauge(f"semilar_bulk_{name}", text, registry=registry).set_function(value)
        self._server, self._thread = start_http_server(port, addr=host, registry=registry)
        self.port = self._server.server_port

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
