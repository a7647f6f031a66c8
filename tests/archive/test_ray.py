"""Ray: the same results; a killed worker and a killed driver lose nothing and do nothing twice."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.archive.cluster import ENVIRONMENT, ROOT, cluster
from tests.archive.photos import hashes, make_photos, removed, rows

pytestmark = pytest.mark.posix
LONG = 300.0  # seconds; a busy computer takes its time


@pytest.fixture(scope="module")
def ray() -> Iterator[tuple[str, int]]:
    with cluster() as found:
        yield found
    left = [p for p in psutil.process_iter(["ppid"]) if p.info["ppid"] == found[1]]
    assert not left


def drive(source: Path, out: Path, model: Path, address: str, *more: str) -> subprocess.Popen[str]:
    """`semilar bulk` on the cluster, in a process of its own."""
    command = ["-m", "semilar", "bulk", source, "-o", out, "--engine", "ray", "--address", address]
    return subprocess.Popen(
        [sys.executable, *map(str, command), "-j", "2", "--model", str(model), *more],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_until(found: Callable[[], object]) -> None:
    end = time.monotonic() + LONG
    while not found():
        assert time.monotonic() < end
        time.sleep(0.05)


def actors(holder: int) -> list[psutil.Process]:
    """The processes of the cluster that hold the model."""
    children = psutil.Process(holder).children(recursive=True)
    found = []
    for child in children:
        try:
            if "MapWorker" in " ".join(child.cmdline()):
                found.append(child)
        except psutil.Error:
            continue
    return found


def killed_twice(folder: Path, model: Path, ray: tuple[str, int], count: int) -> None:
    """A worker killed in the middle, then the driver; a second driver ends the work."""
    address, holder = ray
    source, out = make_photos(folder / "in", count), folder / "out"
    with drive(source, out, model, address, "--batch", "2") as driver:
        wait_until(lambda: len(hashes(out)) > count // 8 or driver.poll() is not None)
        assert driver.poll() is None, driver.communicate()[0]
        victim = actors(holder)[0]
        victim.send_signal(signal.SIGKILL)
        seen = len(hashes(out))
        wait_until(lambda: len(hashes(out)) > seen + count // 8 or driver.poll() is not None)
        assert driver.poll() is None, driver.communicate()[0]
        os.kill(driver.pid, signal.SIGKILL)
    assert len(hashes(out)) < count
    with drive(source, out, model, address, "-q") as driver:
        said, _ = driver.communicate(timeout=LONG * 2)
    assert driver.returncode == 0, said
    assert hashes(out) == removed(source, folder / "removed", model)
    counts = Counter(row["source"] for row in rows(out / "manifest.parquet"))
    assert len(counts) == count
    assert set(counts.values()) == {1}
    assert all(row["status"] == "restored" for row in rows(out / "manifest.parquet"))


def test_kills_lose_nothing(tmp_path: Path, model: Path, ray: tuple[str, int]) -> None:
    killed_twice(tmp_path, model, ray, 96)


@pytest.mark.slow
def test_kills_among_two_thousand(tmp_path: Path, model: Path, ray: tuple[str, int]) -> None:
    killed_twice(tmp_path, model, ray, 2000)
