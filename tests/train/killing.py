"""Starts a training process and kills it at a random moment, again and again.

After each kill everything on disk is checked; any fault is an uncaught error. The trainings are
forks of this process, so it has to be one without threads.
"""

import os
import shutil
import signal
import sqlite3
import time
from pathlib import Path

import numpy as np
import torch

from semilar.semi.repository import Repository
from semilar.semi.rule import Decision
from semilar.semi.shards import shard_paths
from semilar.train.checkpoint import load_newest, saved_steps
from semilar.train.recipe import Recipe
from semilar.train.start import train
from tests.train.tiny import ContrastScore, TinyFeatures, tiny_recipe


def start(recipe: Recipe) -> int:
    """Fork a process that trains, resuming where there is a checkpoint; gives its id."""
    resume = bool(saved_steps(recipe.run / "checkpoints"))
    if not resume:
        shutil.rmtree(recipe.run, ignore_errors=True)
    child = os.fork()
    if child == 0:
        try:
            train(recipe, resume=resume, features=TinyFeatures(), scorer=ContrastScore())
        finally:
            os._exit(1)  # the plan is far too long to get to its end
    return child


def wait_for_lines(log: Path, count: int) -> None:
    """Wait until a fresh start has logged so many steps, however busy the machine is."""
    began = time.time()
    while not log.exists() or log.stat().st_mtime < began - 1:
        time.sleep(0.01)
    first = log.read_text().count("\n")
    while log.read_text().count("\n") < first + count:
        time.sleep(0.01)


def check_repository(path: Path) -> int:
    """Every entry is whole and agrees with its history; gives the number of candidates."""
    with sqlite3.connect(path) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    raw.close()
    offered = 0
    with Repository(path) as repository:
        for key in repository.photo_keys():
            entry, history = repository.entry(key), repository.events(key)
            assert entry is not None
            assert entry.offered == len(history) > 0
            for outcome in Decision:
                assert getattr(entry, outcome) == [e.outcome for e in history].count(outcome)
            taken = [event for event in history if event.outcome is Decision.ACCEPTED]
            assert (entry.label is not None) == bool(taken)
            if taken:
                assert (entry.score, entry.step) == (taken[-1].score, taken[-1].step)
                assert entry.label is not None
                assert entry.label.mean() > 0
            offered += entry.offered
    return offered


def kill_again_and_again(folder: Path, count: int) -> dict[str, int]:
    """Kill `count` trainings; gives how far they came."""
    torch.set_num_threads(1)
    rng = np.random.default_rng(5)
    recipe = tiny_recipe(
        folder,
        "killed",
        {
            "stages": [{"steps": 10**6, "crop": 32, "batch": 2, "synth": {"preset": "strong"}}],
            "semi": {"start_epoch": 0, "repository": {"scorer": "none"}},
            "checkpoint_every": 3,
        },
    )
    seen, steps = [], []
    for _ in range(count):
        child = start(recipe)
        wait_for_lines(recipe.run / "log.jsonl", int(rng.integers(12)))
        time.sleep(float(rng.exponential(0.05)))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), "the training ended by itself"
        seen.append(sum(check_repository(path) for path in shard_paths(recipe.run / "repository")))
        if saved_steps(recipe.run / "checkpoints"):
            checkpoint, complaints = load_newest(recipe.run / "checkpoints")
            assert not complaints
            steps.append(checkpoint.step)
    assert steps == sorted(steps), "a later run never stands behind an earlier one"
    return {"candidates": max(seen), "step": max(steps, default=0)}
