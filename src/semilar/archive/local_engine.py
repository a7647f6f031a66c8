"""Processes of this computer, each with the model; one that dies is replaced, its photos done."""

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, get_context, parent_process
from typing import Any

from semilar.archive.restoring import BulkSettings
from semilar.archive.worker import PhotoRow, Worker
from semilar.threads import one_thread_for_algebra

TRIES = 3  # of a photo that ends its worker
_LOOK = 0.5  # seconds between two looks at whether to stop
_CONTEXT = get_context("spawn")
_worker: Worker
_halt: Any  # the event by which workers hear that no other photo is to be begun


def run(
    chunks: Iterable[list[PhotoRow]], settings: BulkSettings, *, workers: int, stop: threading.Event
) -> Iterator[list[PhotoRow]]:
    """Restore all `chunks` in `workers` processes; gives the rows of each as it is ready.

    What is lost with a process that dies is handed out again photo by photo; what is lost then,
    one photo after the other.
    """
    waiting = iter(chunks)
    while lost := (yield from _in_pool(waiting, settings, workers, stop)):
        single = iter([[item] for chunk in lost for item in chunk])
        while suspects := (yield from _in_pool(single, settings, workers, stop)):
            yield from _one_by_one([item for chunk in suspects for item in chunk], settings, stop)


def _in_pool(
    chunks: Iterator[list[PhotoRow]], settings: BulkSettings, workers: int, stop: threading.Event
) -> Generator[list[PhotoRow], None, list[list[PhotoRow]]]:
    """Work until all is done, or a process dies: then gives back what was not finished."""
    halt = _CONTEXT.Event()
    running: dict[Future[list[PhotoRow]], list[PhotoRow]] = {}
    lost: list[list[PhotoRow]] = []
    with _pool(workers, settings, halt) as pool:
        while True:
            while not lost and not stop.is_set() and len(running) < 2 * workers:
                chunk = next(chunks, None)
                if chunk is None:
                    break
                try:
                    running[pool.submit(_work, chunk)] = chunk
                except BrokenProcessPool:
                    lost.append(chunk)
            if not running:
                return lost
            if stop.is_set():
                halt.set()
                running = {one: chunk for one, chunk in running.items() if not one.cancel()}
            done, _ = wait(running, timeout=_LOOK, return_when=FIRST_COMPLETED)
            for one in done:
                chunk = running.pop(one)
                try:
                    rows = one.result()
                except BrokenProcessPool:
                    lost.append(chunk)
                else:
                    yield rows


def _one_by_one(
    items: list[PhotoRow], settings: BulkSettings, stop: threading.Event
) -> Iterator[list[PhotoRow]]:
    """One photo at a time: then it is plain which of them ends its process."""
    pool = _pool(1, settings, _CONTEXT.Event())
    for item in items:
        for _ in range(TRIES):
            if stop.is_set():
                break
            try:
                yield pool.submit(_work, [item]).result()
                break
            except BrokenProcessPool:
                pool.shutdown()
                pool = _pool(1, settings, _CONTEXT.Event())
        else:
            yield [ended(item)]
    pool.shutdown()


def ended(item: PhotoRow) -> PhotoRow:
    """The row of a photo that no worker survives."""
    known = {name: item[name] for name in ("number", "source", "size", "mark")}
    error = f"{item['source']}: ends the process that works on it, {TRIES} times of {TRIES}."
    return {**known, "status": "failed", "error": error}


def cards() -> list[str]:
    """The graphics cards that this process may use, by the names that CUDA takes."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    if given is not None:
        return [name for name in given.split(",") if name]
    if not shutil.which("nvidia-smi"):
        return []
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=False)
    return [str(i) for i, _ in enumerate(listed.stdout.splitlines())]


def _pool(workers: int, settings: BulkSettings, halt: Any) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        workers,
        mp_context=_CONTEXT,
        initializer=_begin,
        initargs=(settings, halt, _CONTEXT.Value("i", 0)),
    )


def _begin(settings: BulkSettings, halt: Any, begun: Any) -> None:
    """Load the model, once per process, each on its own card. Ctrl-C is for the parent."""
    global _worker, _halt
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    one_thread_for_algebra()
    with begun.get_lock():
        number, begun.value = begun.value, begun.value + 1
    if settings.device == "cuda" and (there := cards()):
        os.environ["CUDA_VISIBLE_DEVICES"] = there[number % len(there)]
    _worker, _halt = Worker(settings), halt


def _end_with_parent() -> None:
    """A driver that is killed takes its workers along: they would wait for it for ever."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _work(chunk: list[PhotoRow]) -> list[PhotoRow]:
    return _worker(chunk, _halt.is_set)
