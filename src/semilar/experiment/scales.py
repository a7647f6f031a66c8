"""Sizes of experiments: the same rows with a small network and drawn scenes, or as published."""

from functools import cache
from typing import Any

import yaml
from pydantic import Field

from semilar.config import Above0, Part, Positive
from semilar.errors import SemilarError
from semilar.experiment.definition import ROOM, Row
from semilar.net import REGISTRY
from semilar.recipes import find_recipe
from semilar.train import merged, read_values

PAPER = "paper"
# At a small scale: the desk size of a network, where it is not called NAME-desk.
_SMALL = {"raliformer": "raliformer-t"}


class World(Part):
    """Pictures that the package makes in place of the data sets."""

    scenes: dict[str, Positive]
    """How many scenes each part has: limited, more, unlabeled, validation, test."""
    recipe: str = ""
    """What rows go over, where it is not the scale's recipe."""
    pairs: int = 0
    """So many fixed labeled pairs, and `checks` validation pairs with the flares of the photos; 0:
    flares are simulated anew in every step."""
    checks: int = 0
    photos: Positive
    """Flared pictures without labels, over the unlabeled scenes."""
    side: Positive
    """Short side of the scenes."""
    size: Positive
    """Side of the square test pictures."""
    tests_each: Positive
    flares: dict[str, str]
    """The preset of the labels (usual, other) and of the unlabeled photos."""
    tests: dict[str, str]
    """Test sets: name and preset."""
    edition: int = 0
    """Test pictures of every edition are others: those looked at may have chosen something."""


class Scale(Part):
    """One of `scales.yaml`."""

    recipe: str
    """What rows go over."""
    budget: Above0 | None = None
    """CPU seconds of training that every row with a budget has."""
    shared: bool = False
    """Rows that differ in `semi` alone share what comes before unlabeled photos."""
    worlds: dict[str, World] = Field(default_factory=dict)

    @property
    def small(self) -> bool:
        """Whether it runs on pictures that the package makes."""
        return bool(self.worlds)


@cache
def scales() -> dict[str, Scale]:
    """Every scale by name."""
    values = yaml.safe_load((ROOM / "scales.yaml").read_text(encoding="utf-8"))
    return {name: Scale.model_validate(one) for name, one in values.items()}


def find_scale(name: str) -> Scale:
    """The scale called `name`."""
    if name not in scales():
        raise SemilarError(f"{name}: no such scale; there are {', '.join(scales())}.")
    return scales()[name]


def row_values(row: Row, scale: Scale, recipe: str = "") -> dict[str, Any]:
    """The recipe of a row as plain values, still without folders.

    What its recipe changes in `paper` is changed in `recipe`, or the scale's, instead.
    """
    beneath = find_recipe(recipe or scale.recipe)
    swap = {find_recipe(PAPER).resolve(): beneath}
    values = merged(read_values(find_recipe(row.recipe), swap=swap), row.changes)
    network = row.net or values["net"]["name"]
    options = values["net"].get("options", {}) if network == values["net"]["name"] else {}
    if scale.small:
        base = read_values(beneath)
        values["labeled"] = {**base["labeled"]}  # 8K or 24K samples an epoch mean nothing here
        network = small_network(network)
    values["net"] = {"name": network, "options": options}
    for stage in values["stages"]:
        stage["synth"] = _with_changes(stage.get("synth", {}), row.synth)
    return values


def small_network(name: str) -> str:
    """The desk size of a network; one that has none is small already."""
    desk = f"{name}-desk"
    return desk if desk in REGISTRY else _SMALL.get(name, name)


def _with_changes(synth: Any, changes: dict[str, Any]) -> Any:
    if not changes:
        return synth
    assert isinstance(synth, dict)
    return {**synth, "changes": merged(synth.get("changes", {}), changes)}
