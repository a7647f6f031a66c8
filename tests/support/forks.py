"""Processes of their own for trainings that are killed or talk to one another; POSIX only.

A fork server imports PyTorch once for all of them, and has no threads that a fork could lose.
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from typing import Any


@cache
def fork_server() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload(["semilar.train.start"])
    return context


def in_own_process(call: Callable[..., Any], *args: Any) -> Any:
    """What `call` returns; what it raises is raised here."""
    with ProcessPoolExecutor(1, mp_context=fork_server()) as pool:
        return pool.submit(call, *args).result()
