"""Processes of this computer, each with the model; one that dies is replaced, its photos done."""

import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from semilar.archive.restoring import Settings
from semilar.archive.worker import Row, Worker
from semilar.threads import one_thread_for_algebra

TRIES = 3  # of a photo that ends its worker
_worker: Worker


def run(
    chunks: Iterable[list[Row]], settings: Settings, *, workers: int, stop: threading.Event
) -> Iterator[list[Row]]:
    """Restore all `chunks` in `workers` processes; gives the rows of each as it is ready."""
    waiting = iter(chunks)
    while True:
        with _pool(workers, settings) as pool:
            lost = yield from _until_broken(pool, waiting, 2 * workers, stop)
        if not lost:
            return
        yield from _one_by_one([item for chunk in lost for item in chunk], settings, stop)


def _until_broken(
    pool: ProcessPoolExecutor, chunks: Iterator[list[Row]], most: int, stop: threading.Event
) -> Generator[list[Row], None, list[list[Row]]]:
    """Work until all is done, or a process dies: then gives back what was not finished."""
    running: dict[Future[list[Row]], list[Row]] = {}
    lost: deque[list[Row]] = deque()
    while True:
        while not lost and not stop.is_set() and len(running) < most:
            chunk = next(chunks, None)
            if chunk is None:
                break
            try:
                running[pool.submit(_work, chunk)] = chunk
            except BrokenProcessPool:
                lost.append(chunk)
        if not running:
            return list(lost)
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for one in done:
            chunk = running.pop(one)
            try:
                rows = one.result()
            except BrokenProcessPool:
                lost.append(chunk)
            else:
                yield rows


def _one_by_one(items: list[Row], settings: Settings, stop: threading.Event) -> Iterator[list[Row]]:
    """One photo at a time: then it is plain which of them ends its process."""
    pool = _pool(1, settings)
    for item in items:
        for _ in range(TRIES):
            if stop.is_set():
                break
            try:
                yield pool.submit(_work, [item]).result()
                break
            except BrokenProcessPool:
                pool.shutdown()
                pool = _pool(1, settings)
        else:
            yield [ended(item)]
    pool.shutdown()


def ended(item: Row) -> Row:
    """The row of a photo that no worker survives."""
    known = {name: item[name] for name in ("number", "source", "size", "mark")}
    error = f"{item['source']}: ends the process that works on it, {TRIES} times of {TRIES}."
    return {**known, "status": "failed", "error": error}


def _pool(workers: int, settings: Settings) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(settings,)
    )


def _begin(settings: Settings) -> None:
    """Load the model, once per process. Ctrl-C is for the parent."""
    import signal

    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    one_thread_for_algebra()
    _worker = Worker(settings)


def _work(chunk: list[Row]) -> list[Row]:
    return _worker(chunk)
