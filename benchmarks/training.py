"""Where the time of a semi-supervised training step goes, and what the data layer costs.

    python benchmarks/training.py [--rounds 5]

Runs steps of the desk recipe with its unlabeled part (128² crops, batches of 8 and 4) on night
scenes of the simulator, in one process, and prints the share of each part. Parts are timed in turn
inside the same steps; figures are medians of rounds.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import lightning_fabric
import torch
from PIL import Image

from semilar.flare.scene import night_scene
from semilar.semi.teacher import Teacher
from semilar.train.display import Silent, Speed
from semilar.train.loop import Trainer
from semilar.train.recipe import Recipe
from semilar.train.recipe_file import load_recipe
from semilar.train.run_folder import RunFolder
from semilar.train.sources import find_sources
from semilar.train.start import prepare


class Clock:
    """Adds up the time spent in named parts."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def timed(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """`call`, with its time counted under `name`."""

        def run(*args: Any, **kwargs: Any) -> Any:
            began = time.perf_counter()
            try:
                return call(*args, **kwargs)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began

        return run


def recipe_in(folder: Path, scorer: str) -> Recipe:
    """The own-photos recipe on pictures made here, with unlabeled photos from the first step."""
    for name, first in (("clean", 0), ("flared", 100)):
        (folder / name).mkdir()
        for i in range(8):
            Image.fromarray(night_scene(first + i, (256, 384))).save(folder / name / f"{i}.png")
    return load_recipe(
        "own-photos",
        [
            f"run={folder / 'run'}",
            f"labeled.backgrounds.folder={folder / 'clean'}",
            "labeled.backgrounds.holdout=0",
            f"semi.photos.folder={folder / 'flared'}",
            "semi.start_epoch=0",
            "stages=[{steps: 100, crop: 128, batch: 8}]",
            "semi.side=128",
            f"semi.repository.scorer={scorer}",
            "validation={}",
            "tensorboard=false",
            "machine.workers=0",
        ],
    )


def instrument(trainer: Trainer, clock: Clock) -> None:
    """Put the clock around the parts of a step."""
    labeler = trainer.labeler
    assert labeler is not None
    assert labeler.repository is not None
    object.__setattr__(labeler, "score", clock.timed("scorer", labeler.score))
    labeler.repository.offer = clock.timed("repository", labeler.repository.offer)  # type: ignore[method-assign]
    teacher = trainer.teacher
    trainer.teacher = _TimedTeacher(teacher, clock)  # type: ignore[assignment]


class _TimedTeacher:
    """A teacher whose predictions and updates are timed."""

    def __init__(self, teacher: Teacher, clock: Clock) -> None:
        self.net, self.updates = teacher.net, teacher.updates
        self.predict = clock.timed("teacher", teacher.__call__)
        self.update = clock.timed("teacher", teacher.update)

    def __call__(self, picture: torch.Tensor) -> torch.Tensor:
        return self.predict(picture)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Shares of a training step.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scorer", default="flare-score")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        rows = measure(Path(name), options.rounds, options.scorer)
    whole = median(row["step"] for row in rows)
    print(f"a step of 8 labeled and 4 unlabeled pictures: {1000 * whole:.0f} ms")
    for part in ("data", "teacher", "scorer", "repository"):
        share = median(row.get(part, 0.0) / row["step"] for row in rows)
        print(f"  {part}: {100 * share:.1f} %")
    both = median((row.get("scorer", 0.0) + row["repository"]) / row["step"] for row in rows)
    print(f"  repository and scorer together: {100 * both:.1f} %")


def measure(folder: Path, rounds: int, scorer: str) -> list[dict[str, float]]:
    """Seconds of each part in each round; `data` is what a worker process does beside."""
    recipe = recipe_in(folder, scorer)
    fabric = lightning_fabric.Fabric(accelerator="cpu", devices=1)
    torch.set_num_threads(recipe.machine.threads)
    run = RunFolder(recipe.run)
    run.begin(resume=False)
    trainer = prepare(recipe, run, fabric, find_sources(recipe), Silent(), None, None, resume=False)
    clock = Clock()
    instrument(trainer, clock)
    trainer._speed = Speed()
    rows = []
    for number in range(rounds + 1):
        began = time.perf_counter()
        batch = trainer.batches[number]
        made = time.perf_counter() - began
        clock.seconds.clear()
        began = time.perf_counter()
        trainer._step(trainer.plan.step(number), iter([batch]))
        row = {"step": time.perf_counter() - began, "data": made, **clock.seconds}
        if number:  # the first one warms up
            rows.append(row)
    return rows


if __name__ == "__main__":
    main()
