"""Thousands of damaged files: no traceback, no hang, no memory beyond the limit, whole outputs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from semilar import photo

ROOT = Path(__file__).resolve().parents[2]


def run(first: int, count: int, folder: Path) -> None:
    command = [sys.executable, "-m", "tests.photo.fuzzing", str(first), str(count), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=5 * 60)
    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["read"] + result["refused"] == count
    assert result["read"] > count / 20  # the mutants are not all nonsense
    assert result["refused"] > count / 20
    assert result["slowest"] < 5
    written = list(folder.iterdir())
    assert len(written) == result["read"]
    for path in written:
        photo.read(path)  # whole, or this raises


@pytest.mark.linux
def test_mutated_files(tmp_path: Path) -> None:
    run(0, 480, tmp_path)


@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_many_mutated_files(tmp_path: Path, batch: int) -> None:
    run(1000 + 600 * batch, 600, tmp_path)
