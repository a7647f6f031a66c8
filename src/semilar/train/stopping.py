"""When to stop: Ctrl-C, SIGTERM, a time budget. A step under way is always finished."""

import signal
import time
from types import FrameType
from typing import Any


class Stopper:
    """Ask `reason()` between steps; use as a context so that signals go back to normal after.

    A second Ctrl-C interrupts at once.
    """

    def __init__(self, *, max_minutes: float | None = None) -> None:
        self._deadline = None if max_minutes is None else time.monotonic() + 60 * max_minutes
        self._signal: str | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Stopper":
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def reason(self) -> str | None:
        """Why the run should end now, or None."""
        if self._signal is not None:
            return self._signal
        if self._deadline is not None and time.monotonic() >= self._deadline:
            return "the time is up"
        return None

    def _note(self, number: int, _: FrameType | None) -> None:
        if self._signal is not None and number == signal.SIGINT:
            raise KeyboardInterrupt
        self._signal = "interrupted" if number == signal.SIGINT else "asked to end"
