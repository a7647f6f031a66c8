"""Places and threads: how many photos are worked on, how many requests may wait."""

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
Task = Callable[[threading.Event], T]
"""Runs in a thread; looks now and then whether the event is set, which means: nobody waits."""

_WEIGHT = 0.1  # of the newest job in the running mean


class FullError(Exception):
    """Every place is taken; try again after `seconds`."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} s")
        self.seconds = seconds


class TooLongError(Exception):
    """The job ran out of its time."""


class Places:
    """Threads for `workers` photos and places for `queue` more requests.

    `changed(running, waiting)` is told of every change.

    A request takes a place before its body is read, so what is held in memory is bounded. The
    network and NumPy release Python's lock while they work: the event loop goes on.
    """

    def __init__(
        self,
        *,
        workers: int,
        queue: int,
        changed: Callable[[int, int], None] = lambda running, waiting: None,
    ) -> None:
        self.workers = workers
        self.places = workers + queue
        self.changed = changed
        self.taken = 0
        self.running = 0
        self.mean_seconds = 1.0
        self._free = asyncio.Semaphore(workers)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="photo")

    @contextlib.contextmanager
    def place(self) -> Iterator[None]:
        """A place for one request, from its first byte to the end of its job."""
        if self.taken >= self.places:
            raise FullError(self.retry_after())
        self._count(taken=1)
        try:
            yield
        finally:
            self._count(taken=-1)

    async def run(self, job: Task[T], *, seconds: float) -> T:
        """Wait for a thread and run `job` there.

        If the caller is cancelled or the time is over, the caller is free at once; the thread
        counts as busy until the job has noticed, so that there are never more than `workers`.
        """
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        stop, started = threading.Event(), time.monotonic()
        future = self._threads.submit(job, stop)
        self._count(running=1)

        def ended(_: Future[T]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has gone with the service
                loop.call_soon_threadsafe(self._ended, started)

        future.add_done_callback(ended)
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise TooLongError from None
        finally:
            stop.set()

    def retry_after(self) -> int:
        """Whole seconds until a place is likely to be free."""
        return max(1, math.ceil(self.mean_seconds * self.taken / self.workers))

    def _count(self, *, taken: int = 0, running: int = 0) -> None:
        self.taken += taken
        self.running += running
        self.changed(self.running, max(0, self.taken - self.running))

    def _ended(self, started: float) -> None:
        self._count(running=-1)
        self._free.release()
        self.mean_seconds += _WEIGHT * (time.monotonic() - started - self.mean_seconds)
