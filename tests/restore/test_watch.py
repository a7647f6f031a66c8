"""A folder that fills up, with a clock that the test moves."""

import os
from pathlib import Path

import pytest

from semilar.errors import SemilarError
from semilar.restore.jobs import Job
from semilar.restore.watch import Watcher


class Clock:
    """Seconds that pass when the test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watcher(tmp_path: Path, clock: Clock) -> Watcher:
    (tmp_path / "in").mkdir()
    return Watcher(tmp_path / "in", tmp_path / "out", settle=1.0, clock=clock)


def test_a_file_being_written_is_waited_for(watcher: Watcher, clock: Clock) -> None:
    photo = watcher.source / "sub" / "a.jpg"
    photo.parent.mkdir()
    photo.write_bytes(b"beginning")
    for _ in range(5):  # it grows between any two looks, however long they are apart
        assert watcher.look() == []
        photo.write_bytes(photo.read_bytes() + b"more")
        clock.now += 5
    assert watcher.look() == []
    clock.now += 0.5
    assert watcher.look() == []  # not at rest for long enough
    clock.now += 0.6
    assert watcher.look() == [Job(photo, watcher.target / "sub" / "a.jpg")]
    clock.now += 5
    assert watcher.look() == []  # once


def test_a_file_that_changes_is_done_again(watcher: Watcher, clock: Clock) -> None:
    photo = watcher.source / "a.jpg"
    photo.write_bytes(b"first")
    assert _settled(watcher, clock) == ["a.jpg"]
    photo.write_bytes(b"second, longer")
    assert _settled(watcher, clock) == ["a.jpg"]


def test_empty_files_other_files_and_results_are_passed(watcher: Watcher, clock: Clock) -> None:
    for name in ("empty.jpg", "notes.txt", ".a.part.jpg", "a.deflared.jpg"):
        (watcher.source / name).write_bytes(b"" if name == "empty.jpg" else b"x")
    assert _settled(watcher, clock) == []


def test_what_is_done_stays_done_after_a_restart(watcher: Watcher, clock: Clock) -> None:
    (watcher.source / "a.jpg").write_bytes(b"x")
    watcher.target.mkdir()
    (watcher.target / "a.jpg").write_bytes(b"result")
    assert _settled(watcher, clock) == []
    old = (watcher.source / "a.jpg").stat().st_mtime_ns - 10**9
    os.utime(watcher.target / "a.jpg", ns=(old, old))  # a result older than its photo
    again = Watcher(watcher.source, watcher.target, clock=clock)
    assert _settled(again, clock) == ["a.jpg"]


def test_results_inside_the_watched_folder_are_not_restored(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "b.jpg").write_bytes(b"x")
    (tmp_path / "a.jpg").write_bytes(b"x")
    assert _settled(Watcher(tmp_path, tmp_path / "out", clock=clock), clock) == ["a.jpg"]


def test_folders_that_cannot_be_watched(tmp_path: Path) -> None:
    with pytest.raises(SemilarError, match="no such folder"):
        Watcher(tmp_path / "gone", tmp_path)
    with pytest.raises(SemilarError, match="is the watched folder"):
        Watcher(tmp_path, tmp_path)


def _settled(watcher: Watcher, clock: Clock) -> list[str]:
    watcher.look()
    clock.now += 2
    return [job.source.name for job in watcher.look()]
