"""What is left to do: the sources beside the manifest, compared by DuckDB in bounded memory."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from semilar.archive.ledger import SCHEMA, Ledger
from semilar.archive.restoring import TAR
from semilar.errors import SemilarError
from semilar.photo import FORMATS, known_suffixes

_MEMORY = "700MB"
_ROWS = 50_000
# One row per source of the manifest; only shards have several, and grouping takes time.
_PLAIN = "SELECT source, mark, status = 'failed' AS failed FROM ledger"
_SHARDS = (
    "SELECT source, any_value(mark) AS mark, bool_or(status = 'failed') AS failed "
    "FROM ledger GROUP BY source"
)
_TODO = """
CREATE TABLE todo AS
SELECT listing.*, done.source IS NOT NULL AS known
FROM listing LEFT JOIN ({done}) AS done ON listing.source = done.source
WHERE done.source IS NULL OR (done.failed AND {retry}) OR listing.mark <> done.mark
"""
# The same source twice is one photo; of two photos with one target the first gets it.
_RANKED = """
CREATE TABLE plan AS
SELECT source, target, size, mark, known, row_number() OVER () - 1 AS number, CASE
  WHEN same_target > 1 THEN 'an earlier photo has the same place' END AS error
FROM (
  SELECT *, row_number() OVER (PARTITION BY target ORDER BY row) AS same_target
  FROM (
    SELECT *, row_number() OVER (PARTITION BY source ORDER BY row) AS same_source
    FROM (SELECT *, rowid AS row FROM todo)
  ) WHERE same_source = 1
)
"""
_TAKEN = """
UPDATE plan SET error = 'a photo done before has the same place'
WHERE EXISTS (
  SELECT 1 FROM ledger
  WHERE ledger.target = ? || plan.target AND ledger.source <> plan.source
    AND ledger.status <> 'failed'
)
"""
# A name without a photo's suffix gets one when its bytes are seen: any of them must be free.
_BARE = """
CREATE TABLE bare AS
SELECT number, source, unnest([{suffixes}]) AS suffix, target || suffix AS target
FROM plan WHERE NOT regexp_matches(target, '{known}', 'i')
"""
_BARE_TAKEN = """
UPDATE plan SET error = 'another photo has the same place'
WHERE number IN (
  SELECT bare.number FROM bare JOIN plan USING (target)
  UNION ALL
  SELECT bare.number FROM bare JOIN ledger
  ON ledger.target = ? || bare.target AND ledger.source <> bare.source
)
"""
_BEFORE = """
SELECT count(*), count(*) FILTER (status = 'failed') FROM ledger
ANTI JOIN (SELECT source FROM plan WHERE known) USING (source)
"""


@dataclass(frozen=True)
class Plan:
    """What to do, in a Parquet file; `done` rows of the manifest stay, `failed` ones among them."""

    file: Path
    count: int
    done: int
    failed: int

    def rows(self, most: int) -> Iterator[pa.Table]:
        """The plan in tables of up to `most` rows; numbers count from 0."""
        with pq.ParquetFile(self.file) as opened:
            for batch in opened.iter_batches(batch_size=most):
                yield pa.Table.from_batches([batch])


def make_plan(
    listing: pa.RecordBatchReader, ledger: Ledger, folder: Path, *, prefix: str, retry_failed: bool
) -> Plan:
    """Write the plan into `folder`; rows of photos that are to be done again leave the manifest.

    `prefix` is what stands before a target's place in the manifest.
    """
    file = folder / "plan.parquet"
    with tempfile.TemporaryDirectory(dir=folder) as spill, duckdb.connect() as base:
        _do(base, f"SET memory_limit = '{_MEMORY}'")
        _do(base, f"SET temp_directory = '{spill}'")
        _do(base, "SET threads = 2")
        base.register("listing", listing)
        try:
            _prepare(base, ledger, prefix, retry_failed)
        except duckdb.Error as error:  # a folder that cannot be read, among others
            line = str(error).strip().splitlines()[-1]
            raise SemilarError(f"The sources cannot be listed ({line}).") from error
        ((done, failed),) = base.sql(_BEFORE).fetchall()
        stale = base.sql("SELECT source FROM plan WHERE known").to_arrow_table()
        count = _write(base, file)
    ledger.forget(stale)
    return Plan(file, count, done, failed)


def _prepare(base: Any, ledger: Ledger, prefix: str, retry_failed: bool) -> None:
    """Fill the table `plan`."""
    known = ledger.there
    base.register("ledger", ledger.dataset() if known else SCHEMA.empty_table())
    shards = _one(base, "SELECT count(*) FROM ledger WHERE member IS NOT NULL")
    done = _SHARDS if shards else _PLAIN
    _do(base, _TODO.format(done=done, retry=retry_failed))
    _do(base, _RANKED)
    _do(base, "DROP TABLE todo")
    if known and _one(base, "SELECT count(*) FROM plan"):
        _do(base, _TAKEN, prefix)
    written = ", ".join(f"'{one.suffixes[0]}'" for one in FORMATS.values())
    photo = "|".join(suffix[1:] for suffix in (*known_suffixes(), TAR))
    _do(base, _BARE.format(suffixes=written, known=rf"\.({photo})$"))
    if _one(base, "SELECT count(*) FROM bare"):
        _do(base, _BARE_TAKEN, prefix)


def _do(base: Any, statement: str, *values: str) -> None:
    base.execute(statement, list(values)).fetchall()  # an unread answer would block the next


def _one(base: Any, query: str) -> int:
    return base.sql(query).fetchall()[0][0]


def _write(base: Any, file: Path) -> int:
    query = "SELECT number, source, target, size, mark, error FROM plan ORDER BY number"
    reader = base.sql(query).to_arrow_reader(_ROWS)
    count = 0
    with pq.ParquetWriter(file, reader.schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch)
            count += batch.num_rows
    return count
