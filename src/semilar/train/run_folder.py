"""The run folder: everything about a run in one place, readable without this program."""

import contextlib
import json
import platform
import shutil
import sys
from pathlib import Path
from typing import Any

import torch
from pydantic import ValidationError

from semilar import __version__
from semilar.errors import RunExistsError, SemilarError
from semilar.files import write_bytes, write_text
from semilar.train.recipe import Recipe
from semilar.train.recipe_file import differences, dump_recipe, read_values


class RunFolder:
    """Paths inside a run folder, and its notes about itself."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoints = path / "checkpoints"
        self.repository = path / "repository"
        self.samples = path / "samples"
        self.tensorboard = path / "tensorboard"
        self.log = path / "log.jsonl"
        self.best = path / "best.safetensors"
        self.recipe = path / "recipe.yaml"
        self.about = path / "run.json"
        self.data = path / "data.json"

    def last(self, network: str) -> Path:
        """Where the last weights of the `student` or the `teacher` lie."""
        return self.path / f"last-{network}.safetensors"

    def begin(self, *, resume: bool) -> None:
        """Check that a new run finds an empty place and a resumed one something to resume."""
        if resume and not self.recipe.is_file():
            raise SemilarError(f"{self.path}: holds no run to resume.")
        if not resume and self.path.exists() and any(self.path.iterdir()):
            raise RunExistsError(f"{self.path}: already holds a run.")
        self.path.mkdir(parents=True, exist_ok=True)

    def discard(self) -> None:
        """Take away what a new run that could not start has left; `begin` found nothing there."""
        shutil.rmtree(self.path, ignore_errors=True)

    def describe(self, recipe: Recipe, manifest: dict[str, Any]) -> list[str]:
        """Write down recipe, versions and data; gives what differs from an earlier start."""
        changed: list[str] = []
        if self.recipe.is_file():
            changed = differences(_known(self.recipe), recipe.model_dump(mode="json"))
        write_text(self.recipe, dump_recipe(recipe))
        write_text(self.data, json.dumps(manifest, indent=1, ensure_ascii=False))
        starts = []
        if self.about.is_file():
            with contextlib.suppress(ValueError, KeyError):
                starts = json.loads(self.about.read_text(encoding="utf-8"))["starts"]
        starts.append({**_environment(), "changed": changed})
        write_text(self.about, json.dumps({"name": recipe.name, "starts": starts}, indent=1))
        return changed

    def save_sheet(self, step: int, png: bytes) -> None:
        """Keep a sample sheet."""
        write_bytes(self.samples / f"step-{step:08d}.png", png)


def _known(path: Path) -> dict[str, Any]:
    """The values of a recipe that was written down, complete where it is still valid."""
    values = read_values(path)
    try:
        return Recipe.model_validate(values).model_dump(mode="json")
    except ValidationError:
        return values


def _environment() -> dict[str, Any]:
    return {
        "semilar": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "machine": platform.platform(),
        "threads": torch.get_num_threads(),
        "devices": torch.cuda.device_count(),
        "command": sys.argv[1:],
    }
