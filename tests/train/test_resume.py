"""A stopped run that goes on is the run that was never stopped, bit for bit."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch

from semilar.errors import SemilarError
from semilar.semi.shards import MergedRepository
from semilar.train.checkpoint import checkpoint_path, load_checkpoint, load_newest, saved_steps
from semilar.train.display import Silent
from semilar.train.logbook import read_log
from semilar.train.recipe import Recipe
from semilar.train.start import Ending, train
from tests.support.forks import fork_server
from tests.train.tiny import ContrastScore, TinyFeatures, tiny_recipe

STEPS = 12  # 5 batches an epoch by twos: 3 steps an epoch, the last of them smaller


class KillAfter(Silent):
    """Kills its own process in the middle of a run: nothing is closed, nothing is tidied up."""

    def __init__(self, step: int) -> None:
        self.step = step

    def show(self, step: int, figures: dict[str, Any]) -> None:
        if step == self.step:
            os.kill(os.getpid(), signal.SIGKILL)


def run(recipe: Recipe, **options: Any) -> Ending:
    return train(recipe, features=TinyFeatures(), scorer=ContrastScore(), **options)


def run_until_killed(recipe: Recipe, step: int) -> None:
    """Train in a process of its own that is killed after `step` steps."""
    options = {"display": KillAfter(step)}
    process = fork_server().Process(target=run, args=(recipe,), kwargs=options)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def assert_same_run(first: Path, second: Path) -> None:
    one, _ = load_newest(first / "checkpoints")
    two, _ = load_newest(second / "checkpoints")
    assert one.step == two.step == STEPS
    assert one.values == two.values
    for part in ("student", "teacher"):
        assert_same_tensors(getattr(one, part), getattr(two, part))
    for index, state in one.optimizer["state"].items():
        assert_same_tensors(state, two.optimizer["state"][index])
    assert contents(first) == contents(second)
    assert timeless(first) == timeless(second)


def assert_same_tensors(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> None:
    assert one.keys() == two.keys()
    for name, value in one.items():
        assert torch.equal(value, two[name]), name


def contents(folder: Path) -> list[Any]:
    repository = MergedRepository(folder / "repository")
    entries = [
        (e.key, None if e.label is None else e.label.tobytes(), e.score, e.step, e.offered)
        for e in repository.entries()
    ]
    assert len(entries) == 6, "every photo was offered"
    return [entries, repository.events()]


def timeless(folder: Path) -> list[dict[str, Any]]:
    lines = read_log(folder / "log.jsonl")
    return [{name: v for name, v in line.items() if name != "seconds"} for line in lines]


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never stopped."""
    root = tmp_path_factory.mktemp("runs")
    ending = run(tiny_recipe(root, "straight"))
    assert (ending.step, ending.reason) == (STEPS, None)
    return root


@pytest.mark.posix
@pytest.mark.parametrize("stop", [3, 5, 10])  # the end of an epoch, and twice inside of one
def test_a_killed_run_goes_on_bit_for_bit(straight: Path, stop: int) -> None:
    """The kill comes two steps after the checkpoint: the repository is ahead of it."""
    recipe = tiny_recipe(straight, f"killed-{stop}", {"checkpoint_every": stop})
    run_until_killed(recipe, stop + 2)
    assert saved_steps(recipe.run / "checkpoints") == [stop]
    run(recipe, resume=True)
    assert_same_run(straight / "straight", recipe.run)


@pytest.mark.posix
def test_muon_goes_on_bit_for_bit_too(tmp_path: Path) -> None:
    muon = {"optimizer": {"kind": "muon", "lr": 2e-3}, "checkpoint_every": 5}
    run(tiny_recipe(tmp_path, "straight", muon))
    recipe = tiny_recipe(tmp_path, "killed", muon)
    run_until_killed(recipe, 7)
    run(recipe, resume=True)
    assert_same_run(tmp_path / "straight", recipe.run)


def test_workers_make_the_same_run(straight: Path) -> None:
    recipe = tiny_recipe(straight, "workers", {"machine": {"workers": 2}})
    run(recipe)
    assert_same_run(straight / "straight", recipe.run)


def test_the_time_budget_ends_cleanly_and_resumes(straight: Path) -> None:
    recipe = tiny_recipe(straight, "budget")
    ending = run(recipe, max_minutes=0)
    assert ending.step == 1
    assert ending.reason is not None
    run(recipe, resume=True)
    assert_same_run(straight / "straight", recipe.run)


@pytest.mark.posix
def test_a_corrupt_last_checkpoint_falls_back(straight: Path) -> None:
    recipe = tiny_recipe(straight, "corrupt", {"checkpoint_every": 4})
    run_until_killed(recipe, 9)
    newest = checkpoint_path(recipe.run / "checkpoints", 8)
    content = bytearray(newest.read_bytes())
    content[-200] ^= 1
    newest.write_bytes(content)
    with pytest.raises(SemilarError, match="checksum"):
        load_checkpoint(newest)
    run(recipe, resume=True)
    assert_same_run(straight / "straight", recipe.run)


def test_resume_must_be_asked_for(straight: Path) -> None:
    recipe = tiny_recipe(straight, "straight")
    with pytest.raises(SemilarError, match="already holds a run"):
        run(recipe)
    with pytest.raises(SemilarError, match="no run to resume"):
        run(tiny_recipe(straight, "nothing"), resume=True)
