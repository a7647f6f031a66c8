"""A training of two gloo processes on one machine: `python -m tests.train.distributed FOLDER RUN`.

The processes are forks of this one, so that importing happens once; they find one another as the
processes that `torchrun` starts do.
"""

import os
import socket
import sys
from pathlib import Path
from typing import Any

import torch

from semilar.train.start import train
from tests.train.tiny import ContrastScore, TinyFeatures, tiny_recipe

WORLD = 2


def stages(steps: int) -> list[dict[str, Any]]:
    """The stage that one process and two processes both train."""
    strong = {"preset": "strong"}
    return [{"steps": steps, "crop": 32, "batch": 4, "accumulate": 2, "synth": strong}]


def main(folder: Path, run: str) -> int:
    """Train in two processes; 0 where both ended well."""
    torch.set_num_threads(1)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    children = []
    for rank in range(WORLD):
        child = os.fork()
        if child == 0:
            train_as(rank, port, folder, run)
        children.append(child)
    return max(os.waitpid(child, 0)[1] for child in children)


def train_as(rank: int, port: int, folder: Path, run: str) -> None:
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
    recipe = tiny_recipe(folder, run, {"machine": machine, "stages": stages(8)})
    train(recipe, features=TinyFeatures(), scorer=ContrastScore())
    os._exit(0)


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1]), sys.argv[2]) else 0)
