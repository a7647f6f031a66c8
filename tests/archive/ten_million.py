"""A manifest of ten million photos and a list of them: `python -m tests.archive.ten_million`.

`make FOLDER` writes them; `plan FOLDER` plans a resume and prints time and memory as JSON.
"""

import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet as pq

from semilar.archive.ledger import SCHEMA, Ledger
from semilar.archive.listing import listing
from semilar.archive.plan import make_plan
from semilar.archive.storage import place

pc: Any = pyarrow.compute  # its functions are made at import time, which no type checker sees
COUNT, PART = 10_000_000, 20_000


def make(folder: Path) -> None:
    """Every hundredth photo of the list is not in the manifest."""
    manifest = folder / "manifest.parquet"
    manifest.mkdir()
    rng = np.random.default_rng(1)
    names = pa.schema([("source", pa.string()), ("mark", pa.string())])
    with pq.ParquetWriter(folder / "list.parquet", names) as photos:
        for begin in range(0, COUNT, PART):
            numbers = np.arange(begin, begin + PART)
            text = pa.array(numbers).cast(pa.string())
            source = pc.binary_join_element_wise("s3://archive/2024/photo-", text, ".jpg", "")
            mark = pc.binary_join_element_wise("etag-", text, "")
            photos.write_table(pa.table([source, mark], names))
            columns = {field.name: pa.nulls(PART, field.type) for field in SCHEMA}
            columns |= {"source": source, "mark": mark, "status": pa.repeat("restored", PART)}
            columns["target"] = pc.replace_substring(source, "archive", "clean/archive")
            digests = [rng.bytes(32).hex() for _ in range(PART)]
            columns["checksum"] = pa.array(digests)
            columns["light"] = pa.array(rng.random(PART))
            table = pa.table(columns, SCHEMA).filter(pa.array(numbers % 100 != 7))
            pq.write_table(table, manifest / f"part-{begin:08}.parquet", compression="zstd")


def plan(folder: Path) -> None:
    """Plan a resume."""
    began, used = time.perf_counter(), time.process_time()
    ledger = Ledger(place(folder / "manifest.parquet"), {})
    with tempfile.TemporaryDirectory() as room:
        found = make_plan(
            listing([str(folder / "list.parquet")]),
            ledger,
            Path(room),
            prefix="s3://clean/",
            retry_failed=False,
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        json.dumps(
            {
                "planned": found.count,
                "done": found.done,
                "seconds": round(time.perf_counter() - began, 1),
                "cpu_seconds": round(time.process_time() - used, 1),
                "mebibytes": peak,
            }
        )
    )


if __name__ == "__main__":
    {"make": make, "plan": plan}[sys.argv[1]](Path(sys.argv[2]))
