"""A worker: what overlaps, what fails, what ends its process; shards."""

import io
import tarfile
import threading
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from semilar.archive import local_engine
from semilar.archive.restoring import Settings
from semilar.archive.worker import Worker
from semilar.restore.batch import Wishes
from tests.archive.killing import DEADLY, KillingSettings
from tests.archive.photos import hashes, make_photos, removed
from tests.support.pictures import smooth_picture


def item(number: int, source: Path, target: str) -> dict[str, Any]:
    row = {"number": number, "source": str(source), "target": target}
    return {**row, "size": None, "mark": None, "error": None}


@pytest.mark.posix
def test_a_photo_that_ends_its_process_is_one_row_and_the_others_are_done(
    tmp_path: Path, model: Path
) -> None:
    source = make_photos(tmp_path / "in", 4)
    Image.fromarray(smooth_picture(DEADLY, 40)).save(source / "deadly.png")
    names = sorted(path.relative_to(source) for path in source.rglob("*.*"))
    items = [item(i, source / name, str(name)) for i, name in enumerate(names)]
    settings = KillingSettings(target=str(tmp_path / "out"), wishes=Wishes(), model=str(model))
    chunks = [items[:2], items[2:4], items[4:]]
    rows = [
        row
        for some in local_engine.run(chunks, settings, workers=1, stop=threading.Event())
        for row in some
    ]
    assert sorted(row["number"] for row in rows) == list(range(5))
    (failed,) = (row for row in rows if row["status"] == "failed")
    assert "deadly.png: ends the process that works on it" in failed["error"]
    assert len(hashes(tmp_path / "out")) == 4


def test_a_shard_becomes_a_shard(tmp_path: Path, model: Path) -> None:
    photos = make_photos(tmp_path / "in", 3)
    shard = tmp_path / "shard-000.tar"
    with tarfile.open(shard, "w") as tar:
        for path in sorted(photos.rglob("*.*")):
            tar.add(path, path.name)
            label = tarfile.TarInfo(f"{path.stem}.json")
            label.size = 2
            tar.addfile(label, io.BytesIO(b"{}"))
        bad = tarfile.TarInfo("bad.jpg")
        tar.addfile(bad, io.BytesIO(b""))
    worker = Worker(Settings(target=str(tmp_path / "out"), wishes=Wishes(), model=str(model)))
    rows = worker([item(0, shard, shard.name)])
    assert [row["status"] for row in rows].count("restored") == 3
    (failed,) = (row for row in rows if row["status"] == "failed")
    assert failed["member"] == "bad.jpg"
    with tarfile.open(tmp_path / "out" / shard.name) as tar:
        names = tar.getnames()
        tar.extractall(tmp_path / "unpacked", filter="data")
    assert names == [
        n for i, s in enumerate(("jpg", "png", "jpg")) for n in (f"{i:05}.{s}", f"{i:05}.json")
    ]
    wanted = {Path(k).name: v for k, v in removed(photos, tmp_path / "removed", model).items()}
    found = hashes(tmp_path / "unpacked")
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize("target", ["../out.jpg", "a/../../out.jpg", "/etc/out.jpg"])
def test_no_result_leaves_its_folder(tmp_path: Path, model: Path, target: str) -> None:
    source = make_photos(tmp_path / "in", 1)
    worker = Worker(Settings(target=str(tmp_path / "out"), wishes=Wishes(), model=str(model)))
    (row,) = worker([item(0, source / "day0/00000.jpg", target)])
    assert row["status"] == "failed"
    assert "leads out of the folder of results" in row["error"]
    assert not (tmp_path / "out.jpg").exists()
