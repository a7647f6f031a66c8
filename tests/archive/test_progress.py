"""How far a run is: the figures, and as Prometheus reads them."""

import urllib.request

import pytest

from semilar.archive import progress as module
from semilar.archive.progress import Exporter, Progress
from semilar.errors import SettingError


def test_rate_share_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    progress = Progress(total=1000)
    assert progress.left is None
    for _ in range(30):  # ten photos every five seconds, one of them bad
        clock[0] += 5
        rows = [{"status": "restored"}] * 9 + [{"status": "failed"}]
        progress.add(rows, 10)
    assert (progress.done, progress.failed, progress.share) == (300, 30, 0.3)
    assert progress.rate == pytest.approx(2.0)
    assert progress.left == pytest.approx(350.0)
    assert progress.line() == ("300 of 1000 photos (30 %), 30 failed, 2.00 photos/s, 0:05:50 left")


def test_a_shard_is_one_source_and_many_photos() -> None:
    progress = Progress(total=4)
    progress.add([{"status": "restored"}] * 7 + [{"status": "failed"}] * 3, 1)
    assert (progress.done, progress.photos, progress.failed) == (1, 10, 3)
    assert progress.line().startswith("1 of 4 sources (10 photos, 25 %), 3 failed")


def test_a_port_in_use_is_said() -> None:
    exporter = Exporter(Progress(total=1), 0)
    try:
        with pytest.raises(SettingError, match=f"^127.0.0.1:{exporter.port}: cannot answer there"):
            Exporter(Progress(total=1), exporter.port)
    finally:
        exporter.close()


def test_prometheus_reads_it() -> None:
    progress = Progress(total=8)
    exporter = Exporter(progress, 0)
    try:
        progress.add([{"status": "failed"}, {"status": "restored"}], 2)
        with urllib.request.urlopen(f"http://127.0.0.1:{exporter.port}/metrics") as answer:
            text = answer.read().decode()
    finally:
        exporter.close()
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(lines["semilar_bulk_sources_planned"]) == 8
    assert float(lines["semilar_bulk_photos_done"]) == 2
    assert float(lines["semilar_bulk_photos_failed"]) == 1
