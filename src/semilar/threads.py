"""How many processors there are, and what libraries may do: threads, memory, reports."""

import ctypes
import os
import sys
from typing import Any

_ARENA_MAX = -8  # of glibc's mallopt(3)


def cores() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def one_thread_for_algebra() -> None:
    """Keep NumPy's matrix products to the thread that asks: has to be said before NumPy loads.

    Pictures run side by side, and a network brings threads of its own; a pool of threads for each
    product makes them wait for one another. What the user has set stays.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


def nothing_is_reported() -> None:
    """Keep ONNX Runtime and Ray from telling their makers of every run: has to be said before they
    load.

    ONNX Runtime also keeps a number for this computer in the home folder. What the user has set
    stays.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")


def one_heap_for_all_threads() -> None:
    """Let threads share freed memory: has to be said before they start.

    glibc gives each thread a heap of its own, and what one has freed the others can't use: a 12 MP
    photo takes 372 MiB so, and 306 with one heap. Elsewhere than with glibc nothing happens.
    """
    mallopt = _of_the_c_library("mallopt")
    if mallopt is not None and "MALLOC_ARENA_MAX" not in os.environ:
        mallopt(_ARENA_MAX, 1)


def give_back_freed_memory() -> None:
    """Let the system have what was freed and lies between what is in use; only glibc keeps that.

    Takes a hundredth of a second.
    """
    malloc_trim = _of_the_c_library("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def _of_the_c_library(function: str) -> Any:
    """A function of Linux's C library, None where there is no such one."""
    return getattr(ctypes.CDLL(None), function, None) if sys.platform.startswith("linux") else None
