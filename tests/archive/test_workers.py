"""A worker: what overlaps, what fails, what ends its process; shards."""

import io
import subprocess
import sys
import tarfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from PIL import Image

from semilar.archive import local_engine
from semilar.archive.restoring import BulkSettings
from semilar.archive.worker import Worker
from semilar.restore.batch import PhotoOptions
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
    settings = KillingSettings(
        target=str(tmp_path / "out"), options=PhotoOptions(), model=str(model)
    )
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
    worker = Worker(
        BulkSettings(target=str(tmp_path / "out"), options=PhotoOptions(), model=str(model))
    )
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


def tar_of(path: Path, contents: list[tuple[str, bytes]]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in contents:
            header = tarfile.TarInfo(name)
            header.size = len(content)
            tar.addfile(header, io.BytesIO(content))
    return path


def test_a_shard_with_traps(tmp_path: Path, model: Path) -> None:
    photo = (make_photos(tmp_path / "in", 1) / "day0/00000.jpg").read_bytes()
    names = ["../up.jpg", "/abs.jpg", "a.jpg", "a.jpg", "../notes.txt", "b.jpg"]
    shard = tar_of(tmp_path / "s.tar", [(name, photo) for name in names])
    worker = Worker(
        BulkSettings(target=str(tmp_path / "out"), options=PhotoOptions(), model=str(model))
    )
    rows = worker([item(0, shard, "s.tar")])
    assert [(row["member"], row["status"]) for row in rows if row["status"] != "failed"] == [
        ("a.jpg", "restored"),
        ("b.jpg", "restored"),
    ]
    said = [row["error"] for row in rows if row["status"] == "failed"]
    assert sum("leads out of the folder" in one for one in said) == 3
    assert sum("an earlier file has the same place" in one for one in said) == 1
    with tarfile.open(tmp_path / "out/s.tar") as tar:
        assert tar.getnames() == ["a.jpg", "b.jpg"]


@pytest.mark.parametrize("damage", ["header", "cut", "empty", "none"])
def test_a_damaged_shard_is_a_failed_row_and_leaves_nothing(
    tmp_path: Path, model: Path, damage: str
) -> None:
    photo = (make_photos(tmp_path / "in", 1) / "day0/00000.jpg").read_bytes()
    shard = tar_of(tmp_path / "s.tar", [(f"{i}.jpg", photo) for i in range(4)])
    content = bytearray(shard.read_bytes())
    second = 512 + -(-len(photo) // 512) * 512
    if damage == "header":
        content[second + 150] ^= 255  # its checksum; Python takes that for the end
    shard.write_bytes({"cut": content[: second + 700], "empty": b""}.get(damage, content))
    worker = Worker(
        BulkSettings(target=str(tmp_path / "out"), options=PhotoOptions(), model=str(model))
    )
    rows = worker([item(0, shard, "s.tar")])
    if damage == "none":
        assert [row["status"] for row in rows] == ["restored"] * 4
        return
    assert [row["status"] for row in rows] == ["failed"]
    assert "s.tar: is a damaged tar file" in rows[0]["error"]
    assert not (tmp_path / "out").exists()


class Seen:
    """An engine that dims, and remembers how many pictures it was given at a time."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def run(self, image: Any) -> tuple[Any, Any]:
        self.batches.append(len(image))
        return image * np.float32(0.6), image * np.float32(0.4)


def test_photos_of_one_working_size_go_through_the_network_together(
    tmp_path: Path, model: Path
) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for i in range(6):
        size = (32, 40) if i % 3 else (24, 48)
        Image.fromarray(smooth_picture(*size, seed=i)).save(source / f"{i}.png")
    (source / "bad.png").write_bytes(b"bad")
    items = [item(i, path, path.name) for i, path in enumerate(sorted(source.iterdir()))]
    settings = BulkSettings(
        target=str(tmp_path / "out"), options=PhotoOptions(), model=str(model), together=8
    )
    worker = Worker(settings)
    worker.remover.engine = seen = Seen()
    rows = worker(items)
    assert sorted(seen.batches) == [2, 4]
    assert [row["status"] for row in rows] == ["restored"] * 6 + ["failed"]
    assert hashes(tmp_path / "out") == removed(source, tmp_path / "removed", model)


@pytest.mark.posix
def test_workers_end_with_a_killed_driver(tmp_path: Path, model: Path) -> None:
    source = make_photos(tmp_path / "in", 400)
    command = [sys.executable, "-m", "semilar", "bulk", source, "-o", tmp_path / "out", "-j", "1"]
    with subprocess.Popen([*map(str, command), "--model", str(model), "--batch", "1"]) as driver:
        end = time.monotonic() + 120
        while not list((tmp_path / "out").glob("day*/*")) and time.monotonic() < end:
            time.sleep(0.1)
        family = psutil.Process(driver.pid).children(recursive=True)
        driver.kill()
    _, alive = psutil.wait_procs(family, timeout=60)
    assert family
    assert not alive


@pytest.mark.parametrize("target", ["../out.jpg", "a/../../out.jpg", "/etc/out.jpg"])
def test_no_result_leaves_its_folder(tmp_path: Path, model: Path, target: str) -> None:
    source = make_photos(tmp_path / "in", 1)
    worker = Worker(
        BulkSettings(target=str(tmp_path / "out"), options=PhotoOptions(), model=str(model))
    )
    (row,) = worker([item(0, source / "day0/00000.jpg", target)])
    assert row["status"] == "failed"
    assert "leads out of the folder of results" in row["error"]
    assert not (tmp_path / "out.jpg").exists()


def test_a_worker_loads_nothing_that_only_the_driver_needs() -> None:
    script = "import sys, semilar.archive.local_engine; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "semilar.archive.worker" in done.stdout.split()
    assert not {"duckdb", "pyarrow", "ray"} & set(done.stdout.split())
