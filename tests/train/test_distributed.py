"""Two processes with the same global batch train like one, and keep the same pseudo labels."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semilar.errors import SemilarError
from semilar.semi.shards import MergedRepository, shard_paths
from semilar.train.checkpoint import load_newest
from semilar.train.logbook import read_log
from semilar.train.start import check_batches
from tests.support.forks import in_own_process
from tests.train.distributed import stages, train_both_ways
from tests.train.lost_node import lose_a_node
from tests.train.test_resume import run as train_here
from tests.train.tiny import tiny_recipe, tiny_values


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two processes, `two`, and one of a single process, `one`."""
    folder = tmp_path_factory.mktemp("distributed")
    tiny_values(folder)  # writes the photographs before two processes could
    assert in_own_process(train_both_ways, folder) == 0
    return folder


def losses(folder: Path) -> np.ndarray:
    return np.array([line["loss"] for line in read_log(folder / "log.jsonl")])


def facts(folder: Path) -> dict[str, Any]:
    entries = MergedRepository(folder / "repository").entries()
    return {entry.key: entry for entry in entries}


@pytest.mark.posix
def test_two_processes_train_like_one(folder: Path) -> None:
    one, two = losses(folder / "one"), losses(folder / "two")
    assert len(one) == 8
    np.testing.assert_allclose(two, one, atol=1e-4)
    assert one[-1] != one[0]
    assert len(shard_paths(folder / "two" / "repository")) == 2
    mine, theirs = facts(folder / "one"), facts(folder / "two")
    assert mine.keys() == theirs.keys()
    assert len(mine) == 6
    for key, entry in mine.items():
        assert (entry.accepted, entry.not_better) == (theirs[key].accepted, theirs[key].not_better)
        difference = entry.label.astype(int) - theirs[key].label.astype(int)
        assert np.abs(difference).max() <= 65535 * 1e-4


@pytest.mark.posix
def test_a_run_of_two_goes_on_as_one(folder: Path, tmp_path: Path) -> None:
    """The shards of two processes become one when a single process resumes."""
    copy = tmp_path / "copy"
    shutil.copytree(folder / "two", copy)
    before = facts(copy)
    values = {"stages": stages(10), "run": str(copy)}
    train_here(tiny_recipe(folder, "two", values), resume=True)
    assert len(shard_paths(copy / "repository")) == 1
    after = facts(copy)
    assert after.keys() == before.keys()
    assert all(after[key].offered >= before[key].offered for key in before)
    assert sum(entry.offered for entry in after.values()) > sum(
        entry.offered for entry in before.values()
    )


def test_a_batch_that_cannot_be_shared_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SemilarError, match=r"stages\.0\.batch is 2, which 3 processes"):
        check_batches(tiny_recipe(tmp_path), 3)


@pytest.mark.posix
def test_a_lost_node_comes_back_and_the_run_is_the_same(tmp_path: Path) -> None:
    """Losses, weights and pseudo labels are those of a run that lost nobody."""
    tiny_values(tmp_path)
    in_own_process(lose_a_node, tmp_path)
    np.testing.assert_allclose(losses(tmp_path / "lost"), losses(tmp_path / "straight"), rtol=1e-6)
    lost, straight = (
        load_newest(tmp_path / run / "checkpoints")[0] for run in ("lost", "straight")
    )
    assert lost.step == straight.step == 8
    mine, theirs = facts(tmp_path / "lost"), facts(tmp_path / "straight")
    assert mine.keys() == theirs.keys()
    for key, entry in mine.items():
        assert entry.offered == theirs[key].offered
        np.testing.assert_array_equal(entry.label, theirs[key].label)
