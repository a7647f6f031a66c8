"""Freed memory is used again instead of asked for anew."""

import subprocess
import sys

import pytest

CALLS = {
    "by itself": "from semilar.net import keep_freed_memory; keep_freed_memory()",
    "by the torch engine": "from semilar import Remover; Remover(engine='torch')",
    "by training": """
from semilar.train.network import build_net
from semilar.train.recipe_file import load_recipe
build_net(load_recipe('desk', ['run=unused']))
""",
}
FAULTS = """
import resource, torch

def faults():
    for _ in range(20):
        torch.ones(12_000_000)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        torch.ones(12_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - start

plain = faults()
{call}
print(plain, faults())
"""


@pytest.mark.linux
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_no_page_faults_for_memory_that_was_freed(call: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FAULTS.replace("{call}", call)],
        capture_output=True,
        text=True,
        check=True,
    )
    before, after = map(int, done.stdout.split())
    assert after * 10 < before
