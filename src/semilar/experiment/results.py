"""What has been measured so far: every row with its numbers, or why it has none."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semilar.errors import SemilarError
from semilar.evaluate import Mean, bootstrap_grid_means, interval
from semilar.experiment.definition import Row
from semilar.experiment.jobs import TrainingJob, make_job
from semilar.experiment.runs import read_result
from semilar.experiment.scales import Scale
from semilar.experiment.world import StudyPictures

Grid = NDArray[np.float64]  # (seeds, pictures)


@dataclass(frozen=True)
class RowResult:
    """A row: the numbers of its seeds and pictures by metric, or the reason that there are none."""

    row: Row
    grids: dict[str, Grid] = field(default_factory=dict)
    untouched: dict[str, Grid] = field(default_factory=dict)
    reason: str = ""
    jobs: tuple[TrainingJob, ...] = ()
    """Those that are done, one a seed."""
    facts: tuple[dict[str, Any], ...] = ()
    """Steps and seconds of each."""

    def mean(self, metric: str, *, untouched: bool = False) -> Mean | None:
        """Mean over seeds and pictures with its interval; None where nothing was measured."""
        grid = (self.untouched if untouched else self.grids).get(metric)
        return None if grid is None else mean_of(grid)

    def difference(self, other: "RowResult", metric: str) -> Mean | None:
        """This row minus another, picture by picture, over the seeds that both have."""
        mine, theirs = self.grids.get(metric), other.grids.get(metric)
        shared = [seed for seed in self.seeds if seed in other.seeds]
        if mine is None or theirs is None or mine.shape[1] != theirs.shape[1] or not shared:
            return None
        return mean_of(
            mine[[self.seeds.index(seed) for seed in shared]]
            - theirs[[other.seeds.index(seed) for seed in shared]]
        )

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that are done."""
        return tuple(job.recipe.seed for job in self.jobs)


def mean_of(grid: Grid) -> Mean | None:
    """The mean of a grid with its 95 % bootstrap interval; None where all is unknown."""
    known = grid[~np.isnan(grid)]
    if not known.size:
        return None
    low, high = interval(bootstrap_grid_means(grid))
    return Mean(float(np.nanmean(grid)), low, high, int((~np.isnan(grid)).any(axis=0).sum()))


def row_result(
    row: Row, scale: Scale, pictures: StudyPictures | str, *, test: str, seeds: int, root: Path
) -> RowResult:
    """What is known of a row; `pictures` may be the reason that there are none."""
    if row.missing:
        return RowResult(row, reason=row.missing)
    if isinstance(pictures, str):
        return RowResult(row, reason=pictures)
    try:
        jobs = [
            make_job(row, scale, pictures, seed=seed, root=root) for seed in range(1, seeds + 1)
        ]
    except SemilarError as error:
        return RowResult(row, reason=str(error))
    done, found, facts = [], [], []
    for job in jobs:
        result = read_result(job) if job.result.is_file() else {"tests": {}}
        if test in result["tests"]:
            done.append(job)
            found.append(result["tests"][test])
            facts.append({key: value for key, value in result.items() if key != "tests"})
    if not done:
        return RowResult(row, reason=_why(jobs, test, pictures))
    return RowResult(
        row,
        _grids(found, "result"),
        _grids(found[:1], "untouched"),
        jobs=tuple(done),
        facts=tuple(facts),
    )


def _why(jobs: list[TrainingJob], test: str, pictures: StudyPictures) -> str:
    for job in jobs:
        if job.failure.is_file():
            reason = json.loads(job.failure.read_text(encoding="utf-8"))["reason"]
            return "failed: " + " ".join(reason.split())
    return "not run" if test in pictures.tests else f"no test set {test} was given"


def _grids(found: list[dict[str, Any]], role: str) -> dict[str, Grid]:
    metrics = [key for key in found[0][role][0] if all(key in one[role][0] for one in found)]
    return {
        key: np.array(
            [[np.nan if row[key] is None else row[key] for row in one[role]] for one in found]
        )
        for key in metrics
    }
