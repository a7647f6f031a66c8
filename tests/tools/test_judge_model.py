"""The figures of tools/judge_model.py that come from running a program."""

import sys

import numpy as np
import pytest
from tools.judge_model import time_and_memory


@pytest.mark.linux
def test_memory_is_that_of_the_program_alone() -> None:
    """What this process has held does not count."""
    held = np.ones(300 * 2**20, np.uint8)
    del held
    program = "import time; kept = bytearray(b'x' * 40 * 2**20); time.sleep(0.2)"
    seconds, mebibytes = time_and_memory(sys.executable, "-c", program)
    assert seconds > 0.2
    assert 40 < mebibytes < 150


def test_a_program_that_fails_ends_the_tool() -> None:
    with pytest.raises(SystemExit, match="failed"):
        time_and_memory(sys.executable, "-c", "raise SystemExit(3)")
