"""What is listed and what is left to do, against plain Python; a resume over very many rows."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from semilar.archive.ledger import Ledger
from semilar.archive.listing import SCHEMA, listing
from semilar.archive.plan import make_plan
from semilar.archive.storage import place
from semilar.errors import PhotoError, SettingError
from tests.archive.photos import make_photos


def listed(*sources: str | Path, **more: object) -> dict[str, str]:
    table = listing(map(str, sources), **more).read_all()  # type: ignore[arg-type]
    return dict(zip(table["source"].to_pylist(), table["target"].to_pylist(), strict=True))


def test_folders_and_globs(tmp_path: Path) -> None:
    photos = make_photos(tmp_path / "in", 5)
    for name in (".hidden.jpg", "notes.txt", "day0/x.deflared.jpg", "day0/raw.NEF", "s.tar"):
        (photos / name).write_bytes(b"x")
    found = listed(photos)
    assert sorted(found.values()) == [
        *("day0/00000.jpg", "day0/00003.tif", "day0/raw.tif"),
        *("day1/00001.png", "day1/00004.jpg", "day2/00002.jpg", "s.tar"),
    ]
    assert found[str(photos / "day0/raw.NEF")] == "day0/raw.tif"
    assert sorted(listed(photos / "day*" / "*.jpg").values()) == [
        *("day0/00000.jpg", "day1/00004.jpg", "day2/00002.jpg"),
    ]
    assert "day0/00000.jpg" not in listed(photos, without=(place(photos / "day0"),)).values()


def test_a_folder_that_holds_itself_is_listed_once(tmp_path: Path) -> None:
    photos = make_photos(tmp_path / "in", 2)
    (photos / "loop").symlink_to(photos, target_is_directory=True)
    (photos / "link.jpg").symlink_to(photos / "day0/00000.jpg")
    assert sorted(listed(photos).values()) == ["day0/00000.jpg", "day1/00001.png", "link.jpg"]


def test_lists(tmp_path: Path) -> None:
    make_photos(tmp_path, 2)
    pq.write_table(
        pa.table({"source": ["day0/00000.jpg", "/data/a.nef", "s3://bucket/b.jpg", "../c.jpg"]}),
        tmp_path / "list.parquet",
    )
    up = f"{tmp_path.parent}/c.jpg"
    assert listed(tmp_path / "list.parquet") == {
        f"{tmp_path}/day0/00000.jpg": "day0/00000.jpg",
        "/data/a.nef": "data/a.tif",
        "s3://bucket/b.jpg": "bucket/b.jpg",
        up: up.lstrip("/"),
    }
    (tmp_path / "same.csv").write_text("source\na.jpg\n./a.jpg\nb//../a.jpg\n")
    assert listed(tmp_path / "same.csv") == {f"{tmp_path}/a.jpg": f"{tmp_path}/a.jpg"[1:]}
    (tmp_path / "web.csv").write_text(
        "source,mark\nhttps://host/x?id=1,00\nhttps://host/a.jpg?sig=b/c,1e3\ns3://b//c/./d.jpg,x\n"
    )
    assert listed(tmp_path / "web.csv") == {
        "https://host/x?id=1": "host/x?id=1",
        "https://host/a.jpg?sig=b/c": "host/a.jpg",
        "s3://b/c/d.jpg": "b/c/d.jpg",
    }
    assert listing([f"{tmp_path}/web.csv"]).read_all()["mark"].to_pylist() == ["00", "1e3", "x"]
    (tmp_path / "hole.csv").write_text("source,size\na.jpg,1\n,2\n")
    with pytest.raises(PhotoError, match=r"hole\.csv: has a row without a source"):
        listed(tmp_path / "hole.csv")
    (tmp_path / "list.csv").write_text("source,target\nhttps://host/x?id=1,one.jpg\n")
    assert listed(tmp_path / "list.csv") == {"https://host/x?id=1": "one.jpg"}
    (tmp_path / "other.csv").write_text("name\na.jpg\n")
    with pytest.raises(PhotoError, match="has no column source; it has name"):
        listed(tmp_path / "other.csv")


def test_addresses_that_lead_nowhere(tmp_path: Path) -> None:
    with pytest.raises(PhotoError, match="there is no such file or folder"):
        listed(tmp_path / "none")
    with pytest.raises(SettingError, match="nowhere://x"):
        listed("nowhere://x")


@pytest.mark.parametrize("retry", [False, True])
def test_a_plan_is_what_plain_python_finds(tmp_path: Path, retry: bool) -> None:
    rng = random.Random(3)
    ledger = Ledger(place(tmp_path / "m.parquet"), {"output": "out"})
    before = {
        f"/in/{i}.jpg": (rng.choice(["restored", "failed"]), f"m{i}") for i in range(0, 400, 2)
    }
    ledger.add(
        [
            {"source": s, "status": status, "mark": m, "target": f"out{s}"}
            for s, (status, m) in before.items()
        ]
    )
    ledger.flush()
    now = {f"/in/{i}.jpg": f"m{i}" if rng.random() < 0.8 else "new" for i in range(100, 500)}
    wanted = {
        source
        for source, mark in now.items()
        if source not in before
        or mark != before[source][1]
        or (retry and before[source][0] == "failed")
    }
    twice = [*now, *list(now)[:50]]
    rows = [{"source": s, "target": s[1:], "size": 1, "mark": now[s]} for s in twice]
    reader = pa.RecordBatchReader.from_batches(
        SCHEMA, pa.Table.from_pylist(rows, SCHEMA).to_batches(max_chunksize=64)
    )
    plan = make_plan(reader, ledger, tmp_path, prefix="out/", retry_failed=retry)
    planned = [row for table in plan.rows(37) for row in table.to_pylist()]
    assert [row["number"] for row in planned] == list(range(len(wanted)))
    assert {row["source"] for row in planned} == wanted
    assert not any(row["error"] for row in planned)
    left = set(ledger.dataset().to_table()["source"].to_pylist())
    assert left == before.keys() - wanted
    assert plan.done == len(left)


def test_the_place_of_a_photo_that_failed_is_free(tmp_path: Path) -> None:
    ledger = Ledger(place(tmp_path / "m.parquet"), {})
    ledger.add([{"source": "/old/a.jpg", "target": "out/a.jpg", "status": "failed"}])
    ledger.flush()
    reader = pa.Table.from_pylist([{"source": "/x/a.jpg", "target": "a.jpg"}], SCHEMA).to_reader()
    plan = make_plan(reader, ledger, tmp_path, prefix="out/", retry_failed=False)
    assert [row["error"] for table in plan.rows(10) for row in table.to_pylist()] == [None]
    assert (plan.done, plan.failed) == (1, 1)


def test_two_photos_never_get_one_place(tmp_path: Path) -> None:
    ledger = Ledger(place(tmp_path / "m.parquet"), {})
    ledger.add([{"source": "/old/a.jpg", "target": "out/a.jpg", "status": "restored"}])
    ledger.flush()
    sources = [("/x/a.jpg", "a.jpg"), ("/x/b.jpg", "b.jpg"), ("/y/b.jpg", "b.jpg")]
    rows = [{"source": s, "target": t} for s, t in sources]
    reader = pa.Table.from_pylist(rows, SCHEMA).to_reader()
    plan = make_plan(reader, ledger, tmp_path, prefix="out/", retry_failed=False)
    (table,) = plan.rows(10)
    errors = {row["source"]: row["error"] for row in table.to_pylist()}
    assert errors.pop("/x/b.jpg") is None
    assert set(errors) == {"/x/a.jpg", "/y/b.jpg"}
    assert all("has the same place" in error for error in errors.values())


def test_a_name_without_suffix_never_gets_the_place_of_another(tmp_path: Path) -> None:
    ledger = Ledger(place(tmp_path / "m.parquet"), {})
    ledger.add([{"source": "/old/c.png", "target": "out/c.png", "status": "restored"}])
    ledger.flush()
    names = ["a", "a.jpg", "b", "c", "d.e"]
    rows = [{"source": f"/x/{name}", "target": name} for name in names]
    reader = pa.Table.from_pylist(rows, SCHEMA).to_reader()
    plan = make_plan(reader, ledger, tmp_path, prefix="out/", retry_failed=False)
    (table,) = plan.rows(10)
    errors = {row["target"] for row in table.to_pylist() if row["error"]}
    assert errors == {"a", "c"}


@pytest.mark.slow
@pytest.mark.linux
def test_a_resume_over_ten_million_rows_is_planned_in_a_minute(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    for step in ("make", "plan"):
        done = subprocess.run(
            [sys.executable, "-m", "tests.archive.ten_million", step, str(tmp_path)],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert (seen["planned"], seen["done"]) == (100_000, 9_900_000)
    assert seen["cpu_seconds"] < 60  # on a computer with nothing else to do, wall time is less
    assert seen["mebibytes"] < 2048
