"""Differences between rows: only seeds that both have count."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from semilar.experiment.definition import Row
from semilar.experiment.jobs import TrainingJob, make_job
from semilar.experiment.results import RowResult
from semilar.experiment.scales import find_scale
from semilar.experiment.world import StudyPictures


def result(root: Path, values: dict[int, list[float]]) -> RowResult:
    """A row whose seeds have these values of PSNR."""
    scale = find_scale("tiny")
    pictures = StudyPictures(root, root, root, {}, dict(scale.worlds["usual"].flares), {})
    job = make_job(Row(name="x"), scale, pictures, seed=1, root=root)

    def seeded(seed: int) -> TrainingJob:
        return replace(job, recipe=job.recipe.model_copy(update={"seed": seed}))

    grid = np.array(list(values.values()))
    return RowResult(Row(name="x"), {"psnr": grid}, jobs=tuple(map(seeded, values)))


def test_a_difference_is_that_of_the_same_seeds_and_pictures(tmp_path: Path) -> None:
    one = result(tmp_path, {1: [30.0, 20.0], 2: [31.0, 22.0], 4: [50.0, 50.0]})
    other = result(tmp_path, {2: [30.0, 20.0], 1: [29.0, 20.0], 3: [10.0, 10.0]})
    found = one.difference(other, "psnr")
    assert found is not None
    assert found.value == pytest.approx((1 + 0 + 1 + 2) / 4)
    assert found.low <= found.value <= found.high


def test_rows_without_a_common_seed_are_not_compared(tmp_path: Path) -> None:
    one, other = result(tmp_path, {1: [30.0]}), result(tmp_path, {2: [29.0]})
    assert one.difference(other, "psnr") is None
