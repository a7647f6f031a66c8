"""Freed memory is used again instead of asked for anew."""

import subprocess
import sys

import pytest

FAULTS = """
import resource, torch
from semilar.net.memory import keep_freed_memory

def faults():
    for _ in range(20):
        torch.ones(12_000_000)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        torch.ones(12_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - start

plain = faults()
kept = keep_freed_memory()
print(int(kept), plain, faults())
"""


@pytest.mark.linux
def test_no_page_faults_for_memory_that_was_freed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True
    )
    kept, before, after = map(int, done.stdout.split())
    assert after * 10 < before if kept else not sys.platform.startswith("linux")
