"""S3 in and out over a server that fails: every fault is tried again, no photo is lost."""

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import s3fs

import semilar
from semilar.errors import SettingError
from tests.archive.photos import hashes, make_photos, removed
from tests.archive.s3 import BUCKET, OPTIONS, faulty_s3

PATIENCE = 1.0  # seconds until an answer counts as lost


def test_every_photo_arrives_in_spite_of_faults(tmp_path: Path, model: Path) -> None:
    source = make_photos(tmp_path / "in", 8)
    with faulty_s3(PATIENCE) as (address, faults):
        config = {"connect_timeout": PATIENCE, "read_timeout": PATIENCE}
        options: dict[str, Any] = {**OPTIONS, "endpoint_url": address}
        fs = s3fs.S3FileSystem(**options, skip_instance_cache=True)
        fs.mkdir(BUCKET)
        fs.put(str(source), f"{BUCKET}/in", recursive=True)
        storage = {"s3": {**options, "config_kwargs": {**config, "retries": {"max_attempts": 2}}}}
        faults.on = True
        out = f"s3://{BUCKET}/out"
        report = semilar.bulk(
            f"s3://{BUCKET}/in", out, model=model, workers=1, storage_options=storage
        )
        assert (report.done, report.failed) == (8, 0)
        again = semilar.bulk(
            f"s3://{BUCKET}/in", out, model=model, workers=1, storage_options=storage
        )
        assert (again.done, again.failed, again.before) == (0, 0, 8)
        faults.on = False
        assert all(faults.seen[kind] > 1 for kind in ("error", "slow", "hang")), faults.seen
        fs.invalidate_cache()
        fs.get(f"{BUCKET}/out", str(tmp_path / "out"), recursive=True)
    assert hashes(tmp_path / "out") == removed(source, tmp_path / "removed", model)
    table = pq.read_table(tmp_path / "out" / "manifest.parquet")
    counts = Counter(table["source"].to_pylist())
    assert len(counts) == 8
    assert set(counts.values()) == {1}
    assert set(table["mark"].is_null().to_pylist()) == {False}


def test_results_do_not_go_to_a_web_address(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="can be read, not written to"):
        semilar.bulk(tmp_path, "https://example.org/out")
