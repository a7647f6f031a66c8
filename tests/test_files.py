"""Files are written whole or not at all."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from semilar.errors import OutputExistsError
from semilar.files import atomic_path, remove_leftovers, write_bytes, write_text


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def write_half(target: Path) -> None:
    with atomic_path(target) as temporary:
        temporary.write_text("ne")
        raise RuntimeError


def test_write_and_replace(tmp_path: Path) -> None:
    target = tmp_path / "new" / "a.txt"
    write_text(target, "eins")
    write_text(target, "zwei")
    assert target.read_text() == "zwei"
    assert names(target.parent) == ["a.txt"]


def test_an_error_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "old")
    with pytest.raises(RuntimeError):
        write_half(target)
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_only_one_of_many_writers_wins_without_force(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    barrier = threading.Barrier(8)
    outcomes: list[bool] = []

    def writer(number: int) -> None:
        barrier.wait()
        try:
            write_bytes(target, bytes([number]) * 1000, force=False)
            outcomes.append(True)
        except OutputExistsError:
            outcomes.append(False)

    threads = [threading.Thread(target=writer, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(True) == 1
    assert len(set(target.read_bytes())) == 1
    assert names(tmp_path) == ["a.bin"]


def test_kill_leaves_the_old_or_the_new_content(tmp_path: Path) -> None:
    target = tmp_path / "a.bin"
    script = f"""
from pathlib import Path
from semilar.files import write_bytes
number = 0
while True:
    write_bytes(Path({str(target)!r}), bytes([number % 256]) * 200_000)
    number += 1
"""
    for round_number in range(6):
        process = subprocess.Popen([sys.executable, "-c", script])
        while not target.exists():
            time.sleep(0.01)
        time.sleep(0.02 * round_number)
        process.kill()
        process.wait()
        content = target.read_bytes()
        assert len(content) == 200_000
        assert len(set(content)) == 1


def test_what_killed_writers_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    kept = [".hidden.part.jpg", "a.0123abcd.part.jpg", ".a.0123abcd.jpg", "b.jpg"]
    for name in [*kept, ".a.0123abcd.part.jpg", ".a.b.ffffffff.part", ".c.00000000.part.json"]:
        (tmp_path / name).write_bytes(b"x")
    remove_leftovers(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)
