"""Each photo once: results as by `semilar remove`, one row each, only what is left on a resume."""

import shutil
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

import semilar
from semilar.archive.ledger import Ledger
from semilar.archive.storage import place
from semilar.errors import OutputExistsError, SettingError
from tests.archive.photos import hashes, make_photos, removed, rows
from tests.support import command
from tests.support.models import dimming_model


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    """A finished run: photos in `in`, results in `out`, those of `semilar remove` in `removed`."""
    folder = tmp_path_factory.mktemp("bulk")
    make_photos(folder / "in", 12)
    (folder / "in" / "bad.jpg").write_bytes(b"no picture")
    report = semilar.bulk(folder / "in", folder / "out", model=model, workers=1)
    assert (report.done, report.failed, report.before, report.left) == (12, 1, 0, 0)
    removed(folder / "in", folder / "removed", model)
    return folder


@pytest.fixture
def again(done: Path, tmp_path: Path) -> Path:
    """A copy of the results, for a test that goes on with them."""
    copy = tmp_path / "out"
    shutil.copytree(done / "out", copy)
    return copy


def test_results_are_those_of_remove(done: Path) -> None:
    assert hashes(done / "out") == hashes(done / "removed")
    assert len(hashes(done / "out")) == 12


def test_the_manifest_has_a_row_for_each_photo(done: Path) -> None:
    table = {Path(row["source"]).name: row for row in rows(done / "out" / "manifest.parquet")}
    assert len(table) == len(rows(done / "out" / "manifest.parquet")) == 13
    bad = table.pop("bad.jpg")
    assert bad["status"] == "failed"
    assert bad["error"].startswith(f"{done}/in/bad.jpg: is not a picture")
    for row in table.values():
        source, target = Path(row["source"]), Path(row["target"])
        assert row["status"] == "restored"
        assert row["found"] == "strong"
        assert row["light"] > 0
        assert row["seconds"] > 0
        assert row["size"] == source.stat().st_size
        one, two = hashes(source.parent)[source.name], hashes(target.parent)[target.name]
        assert (row["checksum"], row["target_checksum"]) == (one, two)


def test_the_page_shows_counts_failures_and_samples(done: Path) -> None:
    page = (done / "out" / "semilar-summary.html").read_text()
    assert "bad.jpg: is not a picture" in page
    assert page.count("<figure>") >= 4
    assert "<td>restored</td><td>strong</td><td>12</td>" in page


def test_a_second_run_does_only_what_changed_or_came(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = make_photos(tmp_path / "in", 6), tmp_path / "out"
    semilar.bulk(source, out, model=model, workers=1)
    before = {name: (out / name).stat().st_mtime_ns for name in hashes(out)}
    shutil.copy(source / "day2/00002.jpg", source / "day0/00000.jpg")  # changed
    shutil.copy(source / "day2/00002.jpg", source / "day0/new.jpg")
    (out / "day0/.00000.0123abcd.part.jpg").write_bytes(b"left by a killed worker")
    report = semilar.bulk(source, out, model=model, workers=1)
    assert (report.done, report.before) == (2, 5)
    after = {name: (out / name).stat().st_mtime_ns for name in hashes(out)}
    assert {name for name in after if after[name] != before.get(name)} == {
        "day0/00000.jpg",
        "day0/new.jpg",
    }
    counts = Counter(row["source"] for row in rows(out / "manifest.parquet"))
    assert len(counts) == 7
    assert set(counts.values()) == {1}
    assert hashes(out) == removed(source, tmp_path / "removed", model)
    report = semilar.bulk(source, out, model=model, workers=1)  # starts no worker
    assert (report.done, report.failed, report.before) == (0, 0, 7)


def test_failed_photos_wait_for_a_retry(tmp_path: Path, model: Path) -> None:
    source, out = make_photos(tmp_path / "in", 2), tmp_path / "out"
    shutil.copy(source / "day0/00000.jpg", tmp_path / "good.jpg")
    (source / "list.csv").write_text("source\nday0/00000.jpg\nday1/00001.png\ngone.jpg\n")
    first = semilar.bulk(source / "list.csv", out, model=model, workers=1)
    assert (first.done, first.failed) == (2, 1)
    shutil.copy(tmp_path / "good.jpg", source / "gone.jpg")
    second = semilar.bulk(source / "list.csv", out, model=model, workers=1)
    assert (second.done, second.before) == (0, 3)
    third = semilar.bulk(source / "list.csv", out, model=model, workers=1, retry_failed=True)
    assert (third.done, third.failed, third.before) == (1, 0, 2)
    assert sorted(hashes(out)) == ["day0/00000.jpg", "day1/00001.png", "gone.jpg"]
    assert [row["status"] for row in rows(out / "manifest.parquet")] == ["restored"] * 3


def test_other_settings_are_refused(done: Path, model: Path) -> None:
    with pytest.raises(SettingError, match=r"was begun with strength 1\.0, not 0\.5"):
        semilar.bulk(done / "in", done / "out", model=model, strength=0.5)


def test_another_model_of_the_same_name_is_refused(tmp_path: Path) -> None:
    source, model = make_photos(tmp_path / "in", 1), dimming_model(tmp_path / "mine.onnx")
    semilar.bulk(source, tmp_path / "out", model=model, workers=1)
    dimming_model(model, keep=0.5)
    with pytest.raises(SettingError, match="was begun with weights"):
        semilar.bulk(source, tmp_path / "out", model=model, workers=1)


def test_what_killed_drivers_leave_disturbs_no_reader(again: Path, done: Path, model: Path) -> None:
    manifest = again / "manifest.parquet"
    (manifest / ".part-x.0123abcd.part").write_bytes(b"half")
    query = f"SELECT count(*) FROM '{manifest}/*.parquet'"
    with duckdb.connect() as base:
        assert base.execute(query).fetchall() == [(13,)]
    assert len(pd.read_parquet(manifest)) == 13
    with pytest.raises(SettingError, match="begun with output"):  # the folder is a copy
        semilar.bulk(done / "in", again, model=model)
    assert not list(manifest.glob(".part*"))


def test_shards_are_counted_by_their_photos(tmp_path: Path, model: Path) -> None:
    photos, shards = make_photos(tmp_path / "in", 3), tmp_path / "shards"
    (photos / "bad.jpg").write_bytes(b"bad")
    (photos / "worse.jpg").write_bytes(b"bad")
    shards.mkdir()
    with tarfile.open(shards / "a.tar", "w") as tar:
        tar.add(photos, ".")
    report = semilar.bulk(shards, tmp_path / "out", model=model, workers=1)
    assert (report.done, report.failed, report.before, report.left) == (3, 2, 0, 0)
    again = semilar.bulk(shards, tmp_path / "out", model=model, workers=1)
    assert (again.done, again.before, again.failed_before) == (0, 5, 2)
    retried = semilar.bulk(shards, tmp_path / "out", model=model, workers=1, retry_failed=True)
    assert (retried.done, retried.failed, retried.before) == (3, 2, 0)
    assert len(rows(tmp_path / "out" / "manifest.parquet")) == 5


def test_a_retry_that_dies_at_once_can_be_started_again(tmp_path: Path, model: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "bad.jpg").write_bytes(b"bad")
    assert semilar.bulk(source, out, model=model, workers=1).failed == 1

    def die(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        semilar.bulk(source, out, model=model, workers=1, retry_failed=True, on_progress=die)
    assert semilar.bulk(source, out, model=model, workers=1).failed == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"engine": "spark"}, "spark: no such engine; there are local, ray"),
        ({"address": "auto"}, "auto: is the address of a Ray cluster; the engine is local"),
        ({"strength": 3.0}, "A strength of 3 is not between 0 and 2"),
        ({"manifest": "a.txt"}, "a.txt: is a file; a manifest is a folder of files"),
    ],
)
def test_wrong_settings_are_said_before_anything_is_made(
    tmp_path: Path, model: Path, more: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = make_photos(tmp_path / "in", 1)
    (tmp_path / "a.txt").write_text("mine")
    with pytest.raises(SettingError, match=said):
        semilar.bulk(source, tmp_path / "out", model=model, **more)
    assert not (tmp_path / "out").exists()


def test_files_of_somebody_else_are_left_alone(tmp_path: Path, model: Path) -> None:
    source = make_photos(tmp_path / "in", 1)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.jpg").write_bytes(b"mine")
    with pytest.raises(OutputExistsError, match="holds files already"):
        semilar.bulk(source, tmp_path / "out", model=model)
    assert (tmp_path / "out" / "mine.jpg").read_bytes() == b"mine"


def test_two_runs_do_not_share_a_manifest(done: Path, again: Path, model: Path) -> None:
    held = Ledger(place(again / "manifest.parquet"), {})
    with held.alone(), pytest.raises(SettingError, match="another run is at work"):
        semilar.bulk(done / "in", again, model=model)


def test_the_command_says_what_became_of_all(done: Path, model: Path, tmp_path: Path) -> None:
    ended = command.semilar("bulk", done / "in", "-o", done / "out", "--model", model)
    assert ended.returncode == 0, ended.stderr
    assert "0 done, 0 failed, 12 done before, 1 failed before" in ended.stderr
    assert "--retry-failed tries them again" in ended.stderr
    ended = command.semilar("bulk", tmp_path / "no", "-o", tmp_path / "out")
    assert ended.returncode == 2
    assert ended.stderr.strip() == f"{tmp_path}/no: there is no such file or folder."
    assert not (tmp_path / "out").exists()
    ended = command.semilar("bulk", done / "in", "-o", tmp_path / "o", without=("fsspec",))
    assert ended.returncode == 2
    assert 'pip install "semilar[bulk]"' in ended.stderr
