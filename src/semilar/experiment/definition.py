"""What an experiment is: a table or figure of the paper as data, in YAML files of this room."""

from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field, TypeAdapter

from semilar.config import Above0, Part, Positive
from semilar.errors import SemilarError
from semilar.evaluate import metrics

ROOM = Path(__file__).parent
UNTOUCHED = "untouched input"


class Row(Part):
    """A row: what is trained, and what the paper says came of it."""

    name: str
    recipe: str = "paper"
    """A recipe of the package, which says how the row differs from `paper`."""
    net: str | None = None
    """The network, at its published size; smaller scales take its desk size."""
    labels: Literal["limited", "full"] = "limited"
    """8K or all 24K backgrounds, or what stands for them at a smaller scale."""
    flares: Literal["usual", "other"] = "usual"
    """Which flares the labels are made with: those of the test sets, or an older collection."""
    photos: Literal["unlabeled", "labeled", "known"] = "unlabeled"
    """Which photos teach it: the unlabeled ones; the flared pictures of the labels (a control); or
    the unlabeled ones with their true scenes as labels (an oracle)."""
    start: "Row | None" = None
    """The row whose end this one goes on from."""
    longer: Above0 = 1.0
    """By this factor it trains longer, in steps."""
    changes: dict[str, Any] = Field(default_factory=dict)
    """More changes to the recipe, at every scale."""
    synth: dict[str, Any] = Field(default_factory=dict)
    """Changes to the simulator's settings, at every scale."""
    light_source: str = ""
    """The rule by which the system puts lamps back (`semilar.restore.light_source`)."""
    budget: bool = False
    """At a small scale: as many steps as fit into the scale's budget of CPU seconds."""
    missing: str = ""
    """Why this row cannot be run here."""
    note: str = ""
    """What differs from the paper's row."""
    paper: dict[str, float] = Field(default_factory=dict)
    """The paper's numbers, by metric."""


class Table(Part):
    """A table of the paper, or one in its manner."""

    kind: Literal["table", "systems"] = "table"
    title: str
    source: str
    """Where the paper has it: the label of its table."""
    test: str
    """The test set whose pictures are measured."""
    columns: tuple[str, ...]
    reference: str
    """The row that the others are compared with."""
    rows: tuple[Row, ...]
    world: str = "usual"
    """The pictures that stand for the data sets at a small scale (`scales.yaml`)."""
    costs: bool = False
    """Whether to print what each row's training took."""
    scales: tuple[str, ...] = ("tiny", "desk", "paper")
    """Where it can run."""
    notes: str = ""

    def row(self, name: str) -> Row:
        """The row of that name."""
        found = {row.name: row for row in self.rows}
        if name not in found:
            raise SemilarError(f"{name}: no such row; there are {', '.join(found)}.")
        return found[name]


class Figure(Part):
    """A figure of the paper, drawn from rows of a table."""

    kind: Literal["sheet", "points", "learning", "repository"]
    title: str
    source: str
    table: str
    rows: tuple[str, ...]
    test: str = "flare7kpp"
    pictures: Positive = 4
    notes: str = ""


Experiment = Annotated[Table | Figure, Field(discriminator="kind")]
_ADAPTER: TypeAdapter[Table | Figure] = TypeAdapter(Experiment)


@cache
def experiments() -> dict[str, Table | Figure]:
    """Every experiment of the package by name: tables in the order of the paper, then figures."""
    files = [*sorted((ROOM / "tables").glob("*.yaml")), *sorted((ROOM / "figures").glob("*.yaml"))]
    return {file.stem.partition("-")[2]: _read(file) for file in files}


def find(name: str) -> Table | Figure:
    """The experiment called `name`."""
    known = experiments()
    if name not in known:
        raise SemilarError(f"{name}: no such experiment; there are {', '.join(known)}, or all.")
    return known[name]


def table_of(experiment: Table | Figure) -> Table:
    """The table itself, or the one that a figure is drawn from."""
    if isinstance(experiment, Table):
        return experiment
    table = find(experiment.table)
    assert isinstance(table, Table)
    return table


def rows_of(experiment: Table | Figure) -> list[Row]:
    """The rows that an experiment needs."""
    if isinstance(experiment, Table):
        return list(experiment.rows)
    table = table_of(experiment)
    return [table.row(name) for name in experiment.rows]


def _read(file: Path) -> Table | Figure:
    values = yaml.safe_load(file.read_text(encoding="utf-8"))
    values.setdefault("kind", "table")
    found = _ADAPTER.validate_python(values)
    if isinstance(found, Table):
        wrong = [key for row in found.rows for key in row.paper if key not in metrics()]
        assert not wrong, f"{file}: {wrong} are no metrics"
        found.row(found.reference)
    return found
