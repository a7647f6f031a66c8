"""Ray Data: a pool of actors over a cluster, each with the model.

Photos never pass through Ray's object store: an actor gets names and gives rows, and does the
rest between the storage and itself. So what the driver and the store hold stays small, and Ray's
own backpressure (a few handfuls per actor) bounds the rest.
"""

import logging
import os
import threading
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pyarrow as pa

from semilar.archive import ledger, listing
from semilar.archive.local_engine import TRIES, ended
from semilar.archive.restoring import BulkSettings
from semilar.archive.worker import PhotoRow, Worker
from semilar.errors import SemilarError
from semilar.threads import nothing_is_reported

_WAVE = 4000  # handfuls that the driver keeps in the object store
_ROWS = ledger.SCHEMA.append(pa.field("number", pa.int64()))
_ITEMS = listing.SCHEMA.append(pa.field("number", pa.int64())).append(
    pa.field("error", pa.string())
)


class Actor:
    """A worker for Ray Data: tables of names in, tables of rows out."""

    def __init__(self, settings: BulkSettings) -> None:
        self.worker = Worker(settings)

    def __call__(self, names: pa.Table) -> pa.Table:
        return pa.Table.from_pylist(self.worker(names.to_pylist()), _ROWS)


def run(
    chunks: Iterable[list[PhotoRow]],
    settings: BulkSettings,
    *,
    workers: int | None,
    stop: threading.Event,
    address: str | None,
) -> Iterator[list[PhotoRow]]:
    """Restore all `chunks` on the cluster at `address`, or on one of this computer alone."""
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # its remarks are for its developers
    nothing_is_reported()
    import ray

    begun = not ray.is_initialized()
    if begun:
        _connect(address, workers)
    try:
        size = workers or max(1, int(ray.cluster_resources().get(_resource(settings), 1)))
        waiting = iter(chunks)
        while not stop.is_set() and (wave := list(islice(waiting, _WAVE))):
            yield from _wave(wave, settings, size, stop)
    finally:
        if begun:
            ray.shutdown()


def _connect(address: str | None, workers: int | None) -> None:
    import ray

    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address:
            ray.init(address=address, **quiet)
        else:
            ray.init(
                num_cpus=workers, include_dashboard=False, object_store_memory=200 * 2**20, **quiet
            )
    except Exception as error:  # Ray throws many kinds, a bare Exception among them
        line = str(error).strip().splitlines()[0]
        raise SemilarError(
            f"{address or 'Ray'}: there is no cluster to work on ({line})."
        ) from None


def _resource(settings: BulkSettings) -> str:
    return "GPU" if settings.device == "cuda" else "CPU"


def _wave(
    chunks: list[list[PhotoRow]], settings: BulkSettings, workers: int, stop: threading.Event
) -> Iterator[list[PhotoRow]]:
    """Some handfuls; what is lost with dying actors is done again, in the end one by one."""
    left = {item["number"]: item for chunk in chunks for item in chunk}
    for attempt in range(TRIES):
        for rows in _pass(chunks, settings, min(workers, len(chunks)), stop):
            for row in rows:
                left.pop(row["number"], None)
            yield rows
        if not left or stop.is_set():
            return
        chunks = [[item] for item in left.values()]
        workers = workers if attempt == 0 else 1
    yield [ended(item) for item in left.values()]


def _pass(
    chunks: list[list[PhotoRow]], settings: BulkSettings, workers: int, stop: threading.Event
) -> Iterator[list[PhotoRow]]:
    import ray.data

    logging.getLogger("ray.data").setLevel(logging.ERROR)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.max_errored_blocks = -1  # a lost handful is done again by `_wave`
    need: dict[str, Any] = {"num_gpus": 1} if settings.device == "cuda" else {"num_cpus": 1}
    names = ray.data.from_arrow([pa.Table.from_pylist(chunk, _ITEMS) for chunk in chunks])
    with warnings.catch_warnings():  # the two last arguments leave with Ray 2.64; see pyproject
        warnings.simplefilter("ignore")
        done = names.map_batches(
            Actor,  # type: ignore[arg-type]
            fn_constructor_args=(settings,),
            batch_format="pyarrow",
            batch_size=None,
            compute=ray.data.ActorPoolStrategy(size=workers),
            **need,
            max_restarts=-1,
            max_task_retries=TRIES,  # without end, a photo that kills its actor would never end
        )
    tables: Any = done.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=1)
    waiting = iter(tables)
    while not stop.is_set():
        try:
            table = next(waiting, None)
        except Exception as error:  # as many kinds; the cluster has gone, or no actor can begin
            line = (str(error).strip().splitlines() or [type(error).__name__])[-1]
            raise SemilarError(f"Ray: the cluster cannot go on ({line}).") from error
        if table is None:
            return
        yield table.to_pylist()
