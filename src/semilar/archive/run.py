"""`semilar.bulk`: from sources over a plan and an engine to results and their manifest."""

import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from semilar.archive import local_engine, ray_engine
from semilar.archive.ledger import Ledger
from semilar.archive.listing import listing
from semilar.archive.plan import Plan, make_plan
from semilar.archive.progress import Exporter, Progress
from semilar.archive.restoring import TAR, BulkSettings
from semilar.archive.storage import Place, StorageOptions, check_writable, place
from semilar.archive.summary import write_page
from semilar.archive.worker import PhotoRow
from semilar.errors import OutputExistsError, SettingError
from semilar.files import remove_leftovers
from semilar.restore import DEFAULT_MODEL, PhotoOptions, check_strength
from semilar.threads import cores

ENGINES = ("local", "ray")
_BATCH = 32  # photos handed to a worker at a time, at most
_TOGETHER = 8  # of them through a graphics card at once
_HANDFULS = 8  # per worker, at least: near the end none has much left while others wait


@dataclass(frozen=True)
class Report:
    """What a run did, in photos.

    `before` were done by earlier runs, `failed_before` of them failed; `left` is how many sources a
    stop left over.
    """

    done: int
    failed: int
    before: int
    failed_before: int
    left: int
    seconds: float
    manifest: str
    summary: str


def bulk(
    sources: str | Path | Iterable[str | Path],
    output: str | Path,
    *,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    batch: int | None = None,
    model: str | Path = DEFAULT_MODEL,
    inference: str | None = None,
    device: str | None = None,
    working_size: int | None = None,
    strength: float = 1.0,
    quality: int | None = None,
    first_frame: bool = False,
    strip_gps: bool = False,
    manifest: str | Path | None = None,
    retry_failed: bool = False,
    force: bool = False,
    metrics_port: int | None = None,
    storage_options: StorageOptions | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    stop: threading.Event | None = None,
) -> Report:
    """Take the flare out of all photos of `sources`, once each, however often this is called.

    Sources are folders, globs, tar shards, lists in Parquet or CSV (a column `source`), on this
    computer or behind any address that fsspec knows; so is `output`, a folder. The manifest,
    `output/manifest.parquet` if not given, is a Parquet dataset with a row per photo. A later
    call does what has no row or has changed, and with `retry_failed` what failed.

    `engine` is "local" (processes of this computer) or "ray"; `address` is that of a Ray cluster
    ("auto", "ray://..."), left out one is started here. `workers` is one per core, or per graphics
    card with device "cuda". `batch` is how many photos a worker takes at a time. `inference` is
    what runs the network. `storage_options` are fsspec's, by protocol. `stop` ends the run early
    and whole.
    """
    given = [sources] if isinstance(sources, str | Path) else list(sources)
    _check_engine(engine, address)
    check_strength(strength)
    target = place(output, storage_options)
    check_writable(target)
    accelerated = device not in (None, "cpu")
    options = PhotoOptions(
        strength=strength, quality=quality, force=True, first_frame=first_frame, strip_gps=strip_gps
    )
    settings = BulkSettings(
        target=target.url,
        options=options,
        model=_model(model),
        inference=inference,
        device=device,
        working_size=working_size,
        storage=storage_options,
        together=min(batch or _TOGETHER, _TOGETHER) if accelerated else 1,
    )
    # A model that cannot be had is said here, once; a cluster's driver may have no graphics card.
    (settings if engine == "local" else replace(settings, device=None)).open()
    book = place(manifest, storage_options) if manifest else target.under("manifest.parquet")
    ledger = Ledger(book, settings.of_result())
    ledger.check_place()
    sources_left = listing(map(str, given), options=storage_options, without=(target, book))
    with ledger.alone(), tempfile.TemporaryDirectory(prefix="semilar-bulk-") as folder:
        _open_ledger(ledger, target, force)
        prefix = f"{target.url.rstrip('/')}/"
        plan = make_plan(
            sources_left, ledger, Path(folder), prefix=prefix, retry_failed=retry_failed
        )
        run = _Run(plan, ledger, target, on_progress, stop or threading.Event())
        if engine == "local":
            count = workers or _workers(device)
            chunks = _chunks(plan, batch or _batch(plan.count, count))
            rows = local_engine.run(chunks, settings, workers=count, stop=run.stop)
        else:
            chunks = _chunks(plan, batch or _batch(plan.count, workers or cores()))
            rows = ray_engine.run(chunks, settings, workers=workers, stop=run.stop, address=address)
        return run.follow(rows, metrics_port, storage_options)


def _check_engine(engine: str, address: str | None) -> None:
    if engine not in ENGINES:
        raise SettingError(f"{engine}: no such engine; there are {', '.join(ENGINES)}.")
    if address is not None and engine != "ray":
        raise SettingError(f"{address}: is the address of a Ray cluster; the engine is {engine}.")


def _workers(device: str | None) -> int:
    """One per core, or one per graphics card."""
    return max(1, len(local_engine.cards())) if device not in (None, "cpu") else cores()


def _model(model: str | Path) -> str:
    """A file's path in full: workers may stand in another folder."""
    return str(Path(model).resolve()) if Path(model).is_file() else str(model)


def _open_ledger(ledger: Ledger, target: Place, force: bool) -> None:
    if ledger.there:
        ledger.check()
        return
    hidden = (".", "manifest.parquet")
    there = target.names() if target.exists() else []
    if not force and any(not Path(name).name.startswith(hidden) for name in there):
        raise OutputExistsError(f"{target.url}: holds files already, and no manifest of them.")
    ledger.begin()


def _batch(count: int, workers: int) -> int:
    return max(1, min(_BATCH, count // (workers * _HANDFULS)))


def _chunks(plan: Plan, size: int) -> Iterator[list[PhotoRow]]:
    """The plan in handfuls; a shard, which holds many photos, is one."""
    for table in plan.rows(size):
        rows = table.to_pylist()
        shard = [row["source"].lower().endswith(TAR) for row in rows]
        yield from ([row] for row in compress(rows, shard))
        if not all(shard):
            yield [row for row, one in zip(rows, shard, strict=True) if not one]


class _Run:
    """Takes rows as they come: each photo of the plan counts once."""

    def __init__(
        self,
        plan: Plan,
        ledger: Ledger,
        target: Place,
        on_progress: Callable[[Progress], None],
        stop: threading.Event,
    ) -> None:
        self.plan, self.ledger, self.target = plan, ledger, target
        self.on_progress, self.stop = on_progress, stop
        self.progress = Progress(total=plan.count)
        self._seen = np.zeros(plan.count, bool)
        self._folders: set[Path] = set()

    def follow(
        self, rows: Iterator[list[PhotoRow]], port: int | None, options: StorageOptions | None
    ) -> Report:
        """Keep the ledger until the engine ends, however it ends."""
        exporter = Exporter(self.progress, port) if port is not None else None
        try:
            self.on_progress(self.progress)
            if self.plan.count:
                for some in rows:
                    self._add(some)
        finally:
            self.ledger.flush()
            if exporter:
                exporter.close()
        for folder in self._folders:
            remove_leftovers(folder)
        page = self.target.under("semilar-summary.html")
        write_page(page, self.ledger, self.progress, options)
        return Report(
            done=self.progress.photos - self.progress.failed,
            failed=self.progress.failed,
            before=self.plan.done,
            failed_before=self.plan.failed,
            left=self.plan.count - self.progress.done,
            seconds=self.progress.seconds,
            manifest=self.ledger.where.url,
            summary=page.url,
        )

    def _add(self, rows: list[PhotoRow]) -> None:
        numbers = {row["number"] for row in rows}
        new = {number for number in numbers if not self._seen[number]}
        self._seen[list(new)] = True
        kept: list[dict[str, Any]] = [
            {**row, "run": self.ledger.run} for row in rows if row.pop("number") in new
        ]
        if self.target.local:
            self._folders |= {Path(row["target"]).parent for row in kept if row.get("target")}
        self.ledger.add(kept)
        self.progress.add(kept, len(new))
        self.on_progress(self.progress)
