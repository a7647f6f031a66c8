"""Running a job: under its lock, from where an earlier process left it, failing alone."""

import contextlib
import json
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from semilar.errors import SemilarError
from semilar.experiment.budget import within_budget
from semilar.experiment.evaluating import evaluate_labels, evaluate_model, has_lpips
from semilar.experiment.jobs import TrainingJob
from semilar.files import write_text
from semilar.train import Display, Recipe, checkpoint_path, dump_recipe, saved_steps, train

RunState = Literal["done", "there", "busy", "failed"]


class Stopped(Exception):  # noqa: N818 - not an error: somebody asked for it
    """A person or the system asked the run to end; the next one goes on from here."""


@dataclass(frozen=True)
class RunOutcome:
    """What became of a job; `reason` says why it failed."""

    state: RunState
    reason: str = ""


def run_job(
    job: TrainingJob, tests: Mapping[str, Path], display: Display | None = None
) -> RunOutcome:
    """Train and evaluate, unless that is done or another process is at it.

    An error is written down and told, and raised to nobody: other rows go on.
    """
    if is_done(job, tests):
        return RunOutcome("there")
    try:
        with _alone(job, wait=False):
            if is_done(job, tests):
                return RunOutcome("there")
            return _run(job, tests, display)
    except Timeout:
        return RunOutcome("busy")


def is_done(job: TrainingJob, tests: Mapping[str, Path]) -> bool:
    """Whether the job has been measured on all of the test sets, with LPIPS where it can be."""
    if not job.result.is_file():
        return False
    known = read_result(job)["tests"]
    return all(
        name in known
        and known[name]["folder"] == str(folder)
        and (not has_lpips() or "lpips_published" in known[name]["result"][0])
        for name, folder in tests.items()
    )


def read_result(job: TrainingJob) -> dict[str, Any]:
    """What was measured."""
    return json.loads(job.result.read_text(encoding="utf-8"))


@contextlib.contextmanager
def _alone(job: TrainingJob, *, wait: bool) -> Iterator[None]:
    """Hold the job's lock, which ends with this process however that ends."""
    job.folder.mkdir(parents=True, exist_ok=True)
    with FileLock(job.folder / ".lock", timeout=-1 if wait else 0):
        yield


def _run(job: TrainingJob, tests: Mapping[str, Path], display: Display | None) -> RunOutcome:
    try:
        took = train_job(job, display)
        figures = evaluate_model(
            job.weights, tests, job.folder / "restored", light_source=job.light_source
        )
        known = read_result(job)["tests"] if job.result.is_file() else {}
        labels = evaluate_labels(job.recipe.run / "repository", job.truth)
        result = {"name": job.recipe.name, **took, "labels": labels, "tests": known | figures}
        write_text(job.result, json.dumps(result))
    except Stopped:
        raise
    except SemilarError as error:
        return _failed(job, str(error))
    except Exception as error:  # a row may fail in any way; the others go on
        return _failed(job, f"{type(error).__name__}: {error}")
    job.failure.unlink(missing_ok=True)
    return RunOutcome("done")


def _failed(job: TrainingJob, reason: str) -> RunOutcome:
    write_text(job.failure, json.dumps({"reason": reason}))
    return RunOutcome("failed", reason)


def train_job(job: TrainingJob, display: Display | None = None) -> dict[str, Any]:
    """Train what is not trained yet; gives steps and seconds. The job's lock is held."""
    if not job.trained.is_file():
        trunk = job.trunk()
        if trunk is not None and not saved_steps(job.recipe.run / "checkpoints"):
            _grow(job, trunk, display)
        recipe = _started(job, display)
        resume = bool(saved_steps(recipe.run / "checkpoints"))
        if not resume:  # what was stopped before its first checkpoint starts again
            shutil.rmtree(recipe.run, ignore_errors=True)
        began, clock = time.process_time(), time.monotonic()
        ending = train(recipe, resume=resume, display=display)
        if ending.reason is not None:
            raise Stopped(ending.reason)
        took = {
            "steps": ending.steps,
            "cpu_seconds": round(time.process_time() - began, 1),
            "seconds": round(time.monotonic() - clock, 1),
            "resumed": resume,
        }
        write_text(job.trained, json.dumps(took))
    return json.loads(job.trained.read_text(encoding="utf-8"))


def _started(job: TrainingJob, display: Display | None) -> Recipe:
    """The recipe with its number of steps, and with the weights that it starts from trained."""
    recipe = within_budget(job)
    if job.start is None:
        return recipe
    with _alone(job.start, wait=True):
        train_job(job.start, display)
    return recipe.model_copy(update={"init": job.start.weights})


def _grow(job: TrainingJob, trunk: TrainingJob, display: Display | None) -> None:
    """Begin from the checkpoint at which the run of labels alone meets the first photo.

    Everything before is the same in both, bit for bit; where that cannot be, the job starts anew.
    """
    step = branch_step(job.recipe)
    if step is None:
        return
    with _alone(trunk, wait=True):
        train_job(trunk, display)
        saved = checkpoint_path(trunk.recipe.run / "checkpoints", step)
        if not saved.is_file():
            return
        beside = job.recipe.run.with_name(".growing")
        shutil.rmtree(beside, ignore_errors=True)
        (beside / "checkpoints").mkdir(parents=True)
        shutil.copy(saved, beside / "checkpoints")
        for name in ("run.json", "log.jsonl"):
            shutil.copy(trunk.recipe.run / name, beside)
        write_text(beside / "recipe.yaml", dump_recipe(job.recipe))
    shutil.rmtree(job.recipe.run, ignore_errors=True)
    beside.rename(job.recipe.run)


def branch_step(recipe: Recipe) -> int | None:
    """The step before which unlabeled photos play no part; None if it has no checkpoint.

    Photos must not make the epochs longer than the labels do.
    """
    semi, stage = recipe.semi, recipe.stages[0]
    assert semi is not None
    assert semi.photos is not None
    batches = ceil(getattr(recipe.labeled, "samples", 0) / stage.batch)
    longer = ceil(len(semi.photos.find()) / semi.batch) > batches
    step = semi.start_epoch * ceil(batches / stage.accumulate)
    if len(recipe.stages) > 1 or longer or step % recipe.checkpoint_every:
        return None
    return int(step)
