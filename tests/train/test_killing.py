"""kill -9 at random moments leaves every entry of the repository whole and consistent."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


def kill_again_and_again(folder: Path, count: int) -> dict[str, int]:
    command = [sys.executable, "-m", "tests.train.killing", str(folder), str(count), "5"]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.posix
def test_a_few_kills(tmp_path: Path) -> None:
    seen = kill_again_and_again(tmp_path, 4)
    assert seen["candidates"] > 0


@pytest.mark.posix
@pytest.mark.slow
def test_200_kills(tmp_path: Path) -> None:
    seen = kill_again_and_again(tmp_path, 200)
    assert seen["candidates"] > 1000
    assert seen["step"] > 100
