"""How far a run is, for people and for Prometheus."""

import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from semilar.errors import SettingError

_RECENT = 60.0  # seconds over which the speed is told


@dataclass
class Progress:
    """Counts of this run: of `total` sources to do `done` are.

    A shard is one source and many `photos`, of which some `failed`.
    """

    total: int
    done: int = 0
    photos: int = 0
    failed: int = 0
    began: float = field(default_factory=time.monotonic)
    _recent: deque[tuple[float, int, int]] = field(default_factory=deque)

    def add(self, rows: list[dict[str, Any]], items: int) -> None:
        """`items` of the plan are done with; a shard is one of them and has many rows."""
        now = time.monotonic()
        self.done += items
        self.photos += len(rows)
        self.failed += sum(row["status"] == "failed" for row in rows)
        self._recent.append((now, self.photos, self.done))
        while len(self._recent) > 2 and now - self._recent[0][0] > _RECENT:
            self._recent.popleft()

    @property
    def seconds(self) -> float:
        """Since the work began."""
        return time.monotonic() - self.began

    @property
    def rate(self) -> float:
        """Photos per second of late."""
        return self._speed(1, self.photos)

    @property
    def left(self) -> float | None:
        """Seconds to go; None as long as nobody can tell."""
        speed = self._speed(2, self.done)
        return (self.total - self.done) / speed if self.done and speed else None

    def _speed(self, which: int, whole: int) -> float:
        if len(self._recent) < 2:
            return whole / max(self.seconds, 1e-9)
        first, last = self._recent[0], self._recent[-1]
        return (last[which] - first[which]) / max(last[0] - first[0], 1e-9)

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.done / self.total if self.total else 1.0

    def line(self) -> str:
        """One line of text.

        >>> Progress(total=10).line()
        '0 of 10 photos (0 %), 0 failed'
        """
        shards = self.photos > self.done
        what = f"sources ({self.photos} photos, " if shards else "photos ("
        text = f"{self.done} of {self.total} {what}{self.share:.0%}), {self.failed} failed"
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
            "sources_planned": ("Photos and shards to do in this run.", lambda: progress.total),
            "sources_done": ("Photos and shards done with.", lambda: progress.done),
            "photos_done": ("Photos done with.", lambda: progress.photos),
            "photos_failed": ("Photos that failed.", lambda: progress.failed),
            "photos_per_second": ("Speed over the last minute.", lambda: progress.rate),
            "seconds_left": ("Time to go at this speed.", lambda: progress.left or 0.0),
        }
        for name, (text, value) in measures.items():
            Gauge(f"semilar_bulk_{name}", text, registry=registry).set_function(value)
        try:
            self._server, self._thread = start_http_server(port, addr=host, registry=registry)
        except (OSError, OverflowError) as error:
            raise SettingError(f"{host}:{port}: cannot answer there ({error}).") from None
        self.port = self._server.server_port

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
