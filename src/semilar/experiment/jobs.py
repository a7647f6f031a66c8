"""One row with one seed: its recipe with folders filled in, and the folder that it runs in."""

import hashlib
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from semilar.errors import SemilarError
from semilar.experiment.definition import Row
from semilar.experiment.scales import Scale, row_values
from semilar.experiment.world import StudyPictures
from semilar.train import Recipe, checked

# Of a recipe, what does not make it another row.
_ASIDE = ("name", "run", "seed", "machine")


@dataclass(frozen=True, kw_only=True)
class TrainingJob:
    """What is trained and measured together. Rows of several tables may be the same job."""

    folder: Path
    recipe: Recipe
    light_source: str = ""
    budget: float | None = None
    """CPU seconds that decide how many steps there are."""
    shared: bool = False
    start: "TrainingJob | None" = None
    """The job whose weights this one starts from."""
    truth: Path | None = None
    """The scenes behind its photos, where they are known: to judge its pseudo labels."""

    @property
    def result(self) -> Path:
        """What was measured."""
        return self.folder / "result.json"

    @property
    def failure(self) -> Path:
        """Why it failed the last time."""
        return self.folder / "failure.json"

    @property
    def trained(self) -> Path:
        """That training is done, and what it took."""
        return self.folder / "trained.json"

    @property
    def weights(self) -> Path:
        """The network that is measured, as it was at the end: nothing is chosen by the tests."""
        return self.recipe.run / f"last-{self.recipe.validation.network}.safetensors"

    def trunk(self) -> "TrainingJob | None":
        """The job of labels alone that this one goes on from, if there is one."""
        semi = self.recipe.semi
        apart = self.budget is not None or self.start is not None
        if not self.shared or apart or semi is None or not semi.start_epoch:
            return None
        alone = self.recipe.model_copy(update={"semi": None})
        return _placed(replace(self, recipe=alone), self.folder.parents[1])


def make_job(
    row: Row, scale: Scale, pictures: StudyPictures, *, seed: int, root: Path
) -> TrainingJob:
    """The job of a row; SemilarError where its data cannot be had."""
    values = row_values(row, scale, pictures.recipe) | {"seed": seed}
    _fill(values, row, scale, pictures)
    recipe = checked(values, row.recipe)
    if row.longer != 1 and (steps := recipe.stages[0].steps):
        recipe = with_steps(recipe, round(row.longer * steps))
    job = TrainingJob(
        folder=root,
        recipe=recipe,
        light_source=row.light_source,
        budget=scale.budget if row.budget else None,
        shared=scale.shared,
        start=row.start and make_job(row.start, scale, pictures, seed=seed, root=root),
        truth=pictures.truth if row.photos == "unlabeled" else None,
    )
    return _placed(job, root / "runs")


def _fill(values: dict[str, Any], row: Row, scale: Scale, pictures: StudyPictures) -> None:
    """Put folders and flares into a recipe's plain values."""
    if values.get("semi"):
        values["semi"] = {**values["semi"], **_photos(row, pictures)}
    if pictures.pairs:
        values["labeled"] = {"kind": "pairs", "folder": str(pictures.labeled)}
        check = {"kind": "pairs", "folder": str(pictures.validation)}
        values["validation"] = {**values["validation"], "sets": {"flares": check}}
        return
    chosen = pictures.limited if row.labels == "limited" else {}
    backgrounds = {"folder": str(pictures.labeled), **chosen}
    flares = pictures.flares[row.flares]
    if flares is None:
        raise SemilarError("needs the older collection of flare patterns, which was not given")
    values["labeled"] = {**values["labeled"], "backgrounds": backgrounds}
    if scale.small:
        for stage in values["stages"]:
            stage["synth"] = {**stage["synth"], "preset": flares}
        check = values["validation"]["sets"]["flares"]
        check |= {"backgrounds": {"folder": str(pictures.validation)}, "synth": {"preset": flares}}
    else:
        values["labeled"] |= {"patterns": str(flares)}
        values["validation"] = {**values["validation"], "sets": {}}


def _photos(row: Row, pictures: StudyPictures) -> dict[str, Any]:
    """The photos of a row, and what is known of them."""
    if row.photos == "labeled":
        assert pictures.labeled is not None
        return {"photos": {"folder": str(pictures.labeled / "input")}}
    truth = str(pictures.truth) if row.photos == "known" else None
    return {"photos": {"folder": str(pictures.photos)}, "truth": truth}


def with_steps(recipe: Recipe, steps: int) -> Recipe:
    """The recipe over so many steps, with everything that is counted in epochs moved along."""
    (stage,) = recipe.stages
    assert stage.steps is not None
    ratio = steps / stage.steps
    checks = {"every": max(1, round(recipe.validation.every * ratio))}
    update = {
        "stages": (stage.model_copy(update={"steps": steps}),),
        "validation": recipe.validation.model_copy(update=checks),
    }
    if recipe.semi is not None:
        semi = recipe.semi
        moved = {
            "start_epoch": semi.start_epoch * ratio,
            "eta_epochs": semi.eta_epochs * ratio,
        }
        update["semi"] = semi.model_copy(update=moved)
    return recipe.model_copy(update=update)


def _placed(job: TrainingJob, runs: Path) -> TrainingJob:
    """The job in a folder of its own below `runs`, whose name follows from what the job is."""
    recipe = job.recipe
    facts = recipe.model_dump(mode="json", exclude=set(_ASIDE))
    start = [] if job.start is None else [job.start.recipe.name]
    text = json.dumps([facts, job.light_source, job.budget, *start], sort_keys=True)
    text = text.replace(json.dumps(str(runs.parent))[1:-1], "")  # wherever the folder lies
    key = hashlib.sha256(text.encode()).hexdigest()[:10]
    kind = "labels" if recipe.semi is None else "photos"
    name = f"{re.sub(r'[^a-z0-9]+', '-', recipe.net.name.lower())}-{kind}-{key}"
    folder = runs / name / f"seed-{recipe.seed}"
    placed = recipe.model_copy(update={"run": folder / "train", "name": name})
    return replace(job, folder=folder, recipe=placed)
