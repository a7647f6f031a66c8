"""The same training in two gloo processes and in one.

The processes are forks of this one, which must have no threads; they find one another as the
processes that `torchrun` starts do.
"""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from semilar.train.recipe import Recipe
from semilar.train.start import train
from tests.train.tiny import ContrastScore, TinyFeatures, tiny_recipe

WORLD = 2


def stages(steps: int) -> list[dict[str, Any]]:
    """The stage that one process and two processes both train."""
    strong = {"preset": "strong"}
    return [{"steps": steps, "crop": 32, "batch": 4, "accumulate": 2, "synth": strong}]


def train_both_ways(folder: Path) -> int:
    """Train in two processes (run `two`) and in one (`one`); 0 where all ended well."""
    torch.set_num_threads(1)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    together = [fork(join, rank, port, folder) for rank in range(WORLD)]
    status = [os.waitpid(child, 0)[1] for child in together]
    alone = tiny_recipe(folder, "one", {"stages": stages(8)})
    status.append(os.waitpid(fork(run, alone), 0)[1])
    return max(status)


def fork(call: Callable[..., None], *args: Any) -> int:
    """Run a function in a process of its own; gives its id."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            call(*args)
            code = 0
        finally:
            os._exit(code)
    return child


def join(rank: int, port: int, folder: Path) -> None:
    """One of the two processes."""
    os.environ |= {
        "TORCHELASTIC_RUN_ID": "test",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(WORLD),
        "LOCAL_WORLD_SIZE": str(WORLD),
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "GROUP_RANK": "0",
    }
    machine = {"devices": WORLD, "strategy": "ddp"}
    run(tiny_recipe(folder, "two", {"machine": machine, "stages": stages(8)}))


def run(recipe: Recipe) -> None:
    train(recipe, features=TinyFeatures(), scorer=ContrastScore())
