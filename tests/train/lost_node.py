"""Two nodes of one process each, the second killed and brought back.

The run `lost` is begun; node 1 dies by SIGKILL after step 5, two steps after a checkpoint; node 0
ends because its partner is gone. Then both are started with `resume`, as `torchrun` does on every
node when one is lost. The run `straight` is the same without a loss.
"""

import os
import signal
import socket
import time
from pathlib import Path

import torch

from semilar.train import start
from tests.train.distributed import fork, stages
from tests.train.test_resume import KillAfter
from tests.train.tiny import ContrastScore, TinyFeatures, tiny_recipe

NODES, STEPS, SAVED, DEATH = 2, 8, 3, 5
PATIENCE = 120.0  # seconds that node 0 has to notice


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def node(rank: int, port: int, folder: Path, run: str, resume: bool, dies: bool) -> None:
    """The process of one node, with the variables that `torchrun` gives it there."""
    os.environ |= {
        "TORCHELASTIC_RUN_ID": "test",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(NODES),
        "LOCAL_WORLD_SIZE": "1",
        "RANK": str(rank),
        "LOCAL_RANK": "0",
        "GROUP_RANK": str(rank),
    }
    machine = {"devices": 1, "nodes": NODES, "strategy": "ddp"}
    changes = {"machine": machine, "stages": stages(STEPS), "checkpoint_every": SAVED}
    recipe = tiny_recipe(folder, run, changes)
    if dies:  # only node 0 has a display of its own
        start.Silent = lambda: KillAfter(DEATH)  # type: ignore[assignment, misc]
    start.train(recipe, resume=resume, features=TinyFeatures(), scorer=ContrastScore())


def together(folder: Path, run: str, *, resume: bool = False, loss: bool = False) -> list[int]:
    """Start both nodes and wait for them; gives how each ended."""
    port = free_port()
    nodes = [
        fork(node, rank, port, folder, run, resume, loss and rank == 1) for rank in range(NODES)
    ]
    ends: dict[int, int] = {}
    limit = time.monotonic() + PATIENCE
    while len(ends) < NODES:
        for one in nodes:
            if one not in ends:
                found, status = os.waitpid(one, os.WNOHANG)
                ends |= {one: status} if found else {}
        if time.monotonic() > limit:  # the agent of torchrun ends what is left on a node
            for one in set(nodes) - ends.keys():
                os.kill(one, signal.SIGKILL)
        time.sleep(0.05)
    return [ends[one] for one in nodes]


def lose_a_node(folder: Path) -> None:
    """Train the runs `lost` and `straight`."""
    torch.set_num_threads(1)
    first, second = together(folder, "lost", loss=True)
    assert os.WIFSIGNALED(second)
    assert os.WTERMSIG(second) == signal.SIGKILL
    assert first != 0, "the other node cannot go on alone"
    assert together(folder, "lost", resume=True) == [0, 0]
    assert together(folder, "straight") == [0, 0]
