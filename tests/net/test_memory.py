"""Freed memory is used again instead of asked for anew."""

import pytest
import torch

from semilar.net import build
from semilar.restore import Remover
from semilar.train.network import build_net
from semilar.train.recipe_file import load_recipe
from tests.support.forks import in_own_process

CALLS = {
    "by every network": lambda: build("unet", widths=(4, 8)),
    "by the torch engine": lambda: Remover(engine="torch"),
    "by training": lambda: build_net(load_recipe("desk", ["run=unused"])),
}


def faults() -> int:
    """Pages that the system had to give for five tensors, after twenty others."""
    import resource

    for _ in range(20):
        torch.ones(12_000_000)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        torch.ones(12_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - start


def faults_before_and_after(name: str) -> tuple[int, int]:
    before = faults()
    CALLS[name]()
    return before, faults()


@pytest.mark.linux
@pytest.mark.parametrize("name", CALLS)
def test_no_page_faults_for_memory_that_was_freed(name: str) -> None:
    before, after = in_own_process(faults_before_and_after, name)
    assert after * 10 < before
