"""The same CPU seconds for every network: how many steps fit into them."""

import json
from math import ceil

from semilar.experiment.jobs import TrainingJob, with_steps
from semilar.files import write_text
from semilar.train import Recipe, batch_seconds

_LEAST = 4  # steps
PHOTO_COST = 1.3
"""A picture without a label against one with: a teacher's and a student's pass, the scorer."""


def within_budget(job: TrainingJob) -> Recipe:
    """The recipe with as many steps as fit, measured once and kept in the job's folder.

    Epochs named in the recipe (where photos come in) move with the number of steps.
    """
    recipe = job.recipe
    if job.budget is None:
        return recipe
    note = job.folder / "budget.json"
    if not note.is_file():
        seconds = step_seconds(recipe)
        steps = max(_LEAST, int(job.budget / seconds))
        write_text(note, json.dumps({"seconds_a_step": seconds, "steps": steps}))
    return with_steps(recipe, json.loads(note.read_text(encoding="utf-8"))["steps"])


def step_seconds(recipe: Recipe) -> float:
    """CPU seconds of an average step, photos included."""
    (stage,) = recipe.stages
    labeled = batch_seconds(recipe) * stage.accumulate
    return labeled * (1 + _photo_share(recipe))


def _photo_share(recipe: Recipe) -> float:
    semi, (stage,) = recipe.semi, recipe.stages
    if semi is None:
        return 0.0
    steps = stage.steps or 0
    samples = getattr(recipe.labeled, "samples", stage.batch * steps)
    start = semi.start_epoch * ceil(samples / stage.batch)
    return PHOTO_COST * semi.batch / stage.batch * max(0.0, 1 - start / max(1, steps))
