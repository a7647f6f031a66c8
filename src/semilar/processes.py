"""Many tasks in several processes, answers as they come; processes that signals do not reach."""

import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, get_start_method, resource_tracker
from typing import Any, TypeVar

from semilar.errors import SemilarError
from semilar.threads import one_thread_for_algebra

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_FEW = 4  # tasks for which starting processes does not pay
_work: Callable[[Any], Any]


def in_processes(
    work: Callable[[Task], Answer], tasks: Sequence[Task], *, jobs: int
) -> Iterator[Answer]:
    """`work` done on every task in up to `jobs` processes; the answers come in any order.

    `work` travels once to each process. The first error ends the run; tasks that have not begun are
    dropped.
    """
    if jobs <= 1 or len(tasks) <= _FEW:
        yield from map(work, tasks)
        return
    # A fresh process per worker: forking one that has used torch's threads can hang.
    pool = ProcessPoolExecutor(
        min(jobs, len(tasks)),
        mp_context=get_context("spawn"),
        initializer=_begin,
        initargs=(pickle.dumps(work),),
    )
    try:
        with held_back(signal.SIGINT):
            futures = [pool.submit(_do, task) for task in tasks]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise SemilarError(
            "A worker process was killed, probably for lack of memory; fewer at a time need less."
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def held_back(*numbers: signal.Signals) -> Iterator[None]:
    """Signals that processes started meanwhile never get, and this one gets afterwards.

    Ctrl-C and a service manager reach the whole group of processes, and one that has just started
    has said nothing yet about signals: it would die. Windows has no such thing.
    """
    change_mask = getattr(signal, "pthread_sigmask", None)
    if change_mask is None:
        yield
        return
    if get_start_method() != "fork":
        resource_tracker.ensure_running()  # started in between, it would let signals through again
    before = change_mask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        change_mask(signal.SIG_SETMASK, before)


def _begin(work: bytes) -> None:
    """The tasks are the parallelism: libraries that `work` loads stay on one thread each.

    Ctrl-C is for the parent, which then ends its workers.
    """
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    one_thread_for_algebra()
    _work = pickle.loads(work)


def _do(task: Any) -> Any:
    return _work(task)
