"""How long the rest would take: a few batches of each kind of network, timed."""

from collections.abc import Iterator
from typing import Any

from semilar.experiment.budget import step_seconds
from semilar.experiment.jobs import TrainingJob
from semilar.experiment.runs import branch_step
from semilar.experiment.study import Study, Task
from semilar.train import find_sources, make_plan


def minutes(study: Study, tasks: list[Task]) -> Iterator[tuple[Task, float, str]]:
    """Every task with its CPU minutes, and a word where nothing would run."""
    speeds: dict[Any, float] = {}
    for task in tasks:
        if isinstance(task.job, str):
            yield task, 0.0, task.job
        elif study.is_done(task):
            yield task, 0.0, "done"
        else:
            yield task, _minutes(task.job, speeds), ""


def _minutes(job: TrainingJob, speeds: dict[Any, float]) -> float:
    if job.budget is not None:
        return job.budget / 60
    recipe = job.recipe
    stage, semi = recipe.stages[0], recipe.semi
    kind = (recipe.net.model_dump_json(), stage.crop, stage.batch, semi is None or semi.batch)
    if kind not in speeds:
        speeds[kind] = step_seconds(recipe)
    steps = make_plan(recipe, find_sources(recipe)).steps
    shared = branch_step(recipe) if job.trunk() else None
    return (steps - (shared or 0)) * speeds[kind] / 60
