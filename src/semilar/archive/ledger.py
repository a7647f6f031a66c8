"""The manifest: a Parquet dataset with one row per photo, and one writer.

A photo's row comes after its result. A row that is to be replaced is taken out before the work
begins again, so at any moment a photo has one row or none; whatever has none is done by the next
run. The newest part is written again, whole, every few seconds, until it is full.
"""

import contextlib
import json
import secrets
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset as pds
import pyarrow.parquet as pq
from pyarrow.fs import FSSpecHandler, PyFileSystem

from semilar.archive.storage import Place, patiently
from semilar.errors import SettingError
from semilar.files import remove_leftovers

pc: Any = pyarrow.compute  # its functions are made at import time, which no type checker sees
SCHEMA = pa.schema(
    [
        ("source", pa.string()),
        ("member", pa.string()),  # of a tar shard
        ("target", pa.string()),
        ("status", pa.string()),  # restored, unchanged or failed
        ("error", pa.string()),
        ("size", pa.int64()),  # bytes of the source
        ("mark", pa.string()),  # the source's version: time of change or ETag
        ("checksum", pa.string()),  # SHA-256 of the source
        ("target_size", pa.int64()),
        ("target_checksum", pa.string()),
        ("found", pa.string()),  # none, weak or strong
        ("light", pa.float64()),  # mean linear light that was taken away
        ("seconds", pa.float64()),  # of work, without waiting for a turn
        ("read_seconds", pa.float64()),
        ("decode_seconds", pa.float64()),
        ("restore_seconds", pa.float64()),
        ("encode_seconds", pa.float64()),
        ("write_seconds", pa.float64()),
        ("at", pa.timestamp("ms", tz="UTC")),
        ("run", pa.string()),
    ]
)
_FULL = 20_000  # rows of a part
_EVERY = 5.0  # seconds between two writes
_KEY = b"semilar"


class Ledger:
    """What has been done, in the folder `where`; `settings` are those that shape a result."""

    def __init__(self, where: Place, settings: dict[str, Any]) -> None:
        self.where = where
        self.settings = settings
        self.run = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(3)}"
        self._schema = SCHEMA.with_metadata({_KEY: json.dumps(settings, sort_keys=True).encode()})
        self._rows: list[dict[str, Any]] = []
        self._part = 0
        self._written = time.monotonic()
        self._fresh = True  # nothing has come since the last write

    @property
    def there(self) -> bool:
        """Whether an earlier run has left a manifest."""
        if not self.where.exists():
            return False
        return bool(self._parts())

    def check_place(self) -> None:
        """Refuse a file where the manifest, a folder, is to be."""
        if self.where.exists() and not self.where.fs.isdir(self.where.path):
            raise SettingError(f"{self.where.url}: is a file; a manifest is a folder of files.")

    def dataset(self) -> pds.Dataset:
        """Every row that has been written."""
        fs = PyFileSystem(FSSpecHandler(self.where.fs))
        return pds.dataset(self._parts(), filesystem=fs, format="parquet", schema=SCHEMA)

    def begin(self) -> None:
        """Write a part without rows: from now on the folder of results is known to be ours."""
        self._write()

    def check(self) -> None:
        """Refuse to go on where results of other settings would stand beside the old ones."""
        part = self._parts()[-1]
        schema = patiently(lambda: _schema(self.where.fs, part), self.where)
        found = (schema.metadata or {}).get(_KEY)
        if found is None:
            raise SettingError(f"{part}: is no manifest of semilar.")
        before = json.loads(found)
        for name, value in self.settings.items():
            if before.get(name) != value:
                raise SettingError(
                    f"{self.where.url}: was begun with {name} {before.get(name)}, not {value}; "
                    "other settings need another output and manifest."
                )

    def forget(self, sources: pa.Table) -> None:
        """Take out the rows of `sources` (a column `source`), about to be done again.

        A part that holds no other rows stays, empty: it tells whose folder this is.
        """
        if not len(sources):
            return
        with duckdb.connect() as base:
            base.register("gone", sources)
            for part in map(partial(Place, self.where.fs), self._parts()):
                content = pa.py_buffer(part.read())
                here = pq.read_table(pa.BufferReader(content), columns=["source"])
                base.register("here", here)  # joined the other way round it takes far longer
                stale = base.sql("SELECT source FROM here SEMI JOIN gone USING (source)")
                stale = stale.to_arrow_table()["source"].combine_chunks()
                if len(stale):
                    kept = pc.invert(pc.is_in(here["source"], stale))
                    table = pq.read_table(pa.BufferReader(content))
                    part.write(_bytes(table.filter(kept), table.schema))

    def add(self, rows: list[dict[str, Any]]) -> None:
        """Photos are done with; their rows are on disk a few seconds later."""
        self._rows += rows
        self._fresh = self._fresh and not rows
        full = len(self._rows) >= _FULL
        if full or time.monotonic() - self._written > _EVERY:
            self.flush()
        if full:
            self._rows, self._part = [], self._part + 1

    def flush(self) -> None:
        """Write what has come."""
        if not self._fresh:
            self._write()

    def _write(self) -> None:
        table = pa.Table.from_pylist(self._rows, self._schema)
        name = f"part-{self.run}-{self._part:05}.parquet"
        self.where.under(name).write(_bytes(table, self._schema))
        self._written = time.monotonic()
        self._fresh = True

    def _parts(self) -> list[str]:
        return [name for name in self.where.names() if Path(name).name.startswith("part-")]

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep a second run away; object storage has no locks, there the caller sees to it."""
        if not self.where.local:
            yield
            return
        from filelock import FileLock, Timeout

        folder = Path(self.where.path)
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / ".lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise SettingError(f"{folder}: another run is at work on it.") from None
        try:
            remove_leftovers(folder)
            yield
        finally:
            lock.release()


def _bytes(table: pa.Table, schema: pa.Schema) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table.cast(schema), sink, compression="zstd")
    return sink.getvalue().to_pybytes()


def _schema(fs: Any, part: str) -> pa.Schema:
    with fs.open(part, "rb") as file:
        return pq.read_schema(file)
