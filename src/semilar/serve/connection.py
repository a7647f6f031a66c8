"""A connection that may not dawdle: uvicorn's own, with two clocks it lacks.

uvicorn waits without end for the head of a request and for a client that has stopped reading its
answer; both are cheap ways to use up a server's connections.
"""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = "head_seconds"
"""Key under which the application's lifespan state says how long to wait."""
_SLOWEST_READER = 5_000  # bytes per second


class Connection(H11Protocol):
    """HTTP/1.1 with a time limit on heads that do not come and answers that are not read."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._seconds: float = self.app_state[HEAD_SECONDS]
        self._head: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The head of the first request is awaited."""
        super().connection_made(transport)
        self._head = self.loop.call_later(self._seconds, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Part of a head starts the clock, a whole one stops it."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_head()
        elif self._head is None and self.conn.trailing_data[0]:
            self._head = self.loop.call_later(self._seconds, self.transport.abort)

    def pause_writing(self) -> None:
        """The client reads more slowly than the answer is sent."""
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        """It has caught up."""
        super().resume_writing()
        self._stop_unread()

    def connection_lost(self, exc: Exception | None) -> None:
        """No clock outlives its connection."""
        self._stop_head()
        self._stop_unread()
        super().connection_lost(exc)

    def _watch_reader(self) -> None:
        left = self.transport.get_write_buffer_size()
        self._unread = self.loop.call_later(self._seconds, self._check_reader, left)

    def _check_reader(self, before: int) -> None:
        read = before - self.transport.get_write_buffer_size()
        if read < _SLOWEST_READER * self._seconds:
            self.transport.abort()
        else:
            self._watch_reader()

    def _stop_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _stop_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
