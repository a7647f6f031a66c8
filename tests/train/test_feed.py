"""Data workers and signals."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.posix
def test_a_signal_to_the_whole_group_leaves_a_starting_worker_alive() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.train.signalled"],
        cwd=ROOT,
        start_new_session=True,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    got = sorted(int(number) for number in (signal.SIGINT, signal.SIGTERM))
    assert done.stdout.strip() == f"[0, 1, 2] {got}"
