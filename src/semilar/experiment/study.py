"""Experiments at one scale in one folder: what has to be run, running it, what came of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from semilar.errors import SemilarError
from semilar.experiment.definition import Figure, Row, Table, experiments, find, rows_of, table_of
from semilar.experiment.jobs import TrainingJob, make_job
from semilar.experiment.results import RowResult, row_result
from semilar.experiment.runs import RunOutcome, is_done, run_job
from semilar.experiment.scales import find_scale
from semilar.experiment.split import Given, published_pictures
from semilar.experiment.systems import measure_speed, system_of
from semilar.experiment.world import StudyPictures, make_world
from semilar.train import Display

ALL = "all"


def named(name: str) -> dict[str, Table | Figure]:
    """The experiment of that name, or all of them."""
    return experiments() if name == ALL else {name: find(name)}


@dataclass(frozen=True)
class Task:
    """A row with a seed. `job` is the reason where there is none."""

    row: Row
    seed: int
    job: TrainingJob | str
    tests: dict[str, Path]


@dataclass
class Study:
    """A folder of runs at one scale, with the data that a person has given."""

    root: Path
    scale_name: str
    seeds: int = 3
    given: Given = field(default_factory=Given)
    tests: dict[str, Path] = field(default_factory=dict)
    """Folders of real test sets, which take the place of made ones."""
    tell: Callable[[str], None] = lambda _: None

    def __post_init__(self) -> None:
        self.scale = find_scale(self.scale_name)
        self._pictures: dict[str, StudyPictures | str] = {}

    def pictures(self, table: Table) -> StudyPictures | str:
        """The data that a table is made with, or why they cannot be had."""
        if self.scale_name not in table.scales:
            return f"is not of scale {self.scale_name}"
        if table.world not in self._pictures:
            self._pictures[table.world] = self._find(table.world)
        return self._pictures[table.world]

    def _find(self, world: str) -> StudyPictures | str:
        folder = self.root / "data" / world
        try:
            if not self.scale.small:
                found = published_pictures(folder, self.given, tell=self.tell)
            else:
                self.tell(f"Pictures for {world}: {folder}")
                found = make_world(folder, self.scale.worlds[world], self.given.backgrounds)
        except SemilarError as error:
            return str(error)
        own = {name: place for name, place in self.tests.items() if self._belongs(name, world)}
        return replace(found, tests={**found.tests, **own})

    def _belongs(self, test: str, world: str) -> bool:
        tables = [one for one in experiments().values() if isinstance(one, Table)]
        figures = [one for one in experiments().values() if isinstance(one, Figure)]
        used = {(t.test, t.world) for t in tables}
        used |= {(f.test, table_of(f).world) for f in figures}
        return (test, world) in used

    def tasks(self, name: str, *, only: str | None = None) -> list[Task]:
        """All rows and seeds of experiments, each job once; the first seed of every row first."""
        found: list[Task] = []
        known: set[Path] = set()
        for seed in range(1, self.seeds + 1):
            for experiment in named(name).values():
                for row in rows_of(experiment):
                    if only is not None and row.name != only:
                        continue
                    task = self._task(table_of(experiment), row, seed)
                    if task is None or (
                        isinstance(task.job, TrainingJob) and task.job.folder in known
                    ):
                        continue
                    if isinstance(task.job, TrainingJob):
                        known.add(task.job.folder)
                    elif seed > 1:
                        continue
                    found.append(task)
        if only is not None and not found:
            names = dict.fromkeys(row.name for one in named(name).values() for row in rows_of(one))
            raise SemilarError(f"{only}: no row of {name}; there are {', '.join(names)}.")
        return found

    def _task(self, table: Table, row: Row, seed: int) -> Task | None:
        if row.missing or self.scale_name not in table.scales:
            return None
        pictures = self.pictures(table)
        if isinstance(pictures, str):
            return Task(row, seed, pictures, {})
        try:
            job = make_job(row, self.scale, pictures, seed=seed, root=self.root)
        except SemilarError as error:
            return Task(row, seed, str(error), {})
        return Task(row, seed, job, pictures.tests)

    def is_done(self, task: Task) -> bool:
        """Whether nothing is left to do for a task."""
        return isinstance(task.job, TrainingJob) and is_done(task.job, task.tests)

    def run(
        self, tasks: list[Task], display: Callable[[Task], Display | None] = lambda _: None
    ) -> Iterator[tuple[Task, RunOutcome]]:
        """Run what is not done, task by task. `Stopped` comes out where a person asks for it."""
        for task in tasks:
            if isinstance(task.job, str):
                yield task, RunOutcome("failed", task.job)
            else:
                yield task, run_job(task.job, task.tests, display(task))

    def measure_speeds(self, name: str) -> None:
        """The speed of every system, where the table of systems is asked for."""
        for one in named(name).values():
            if isinstance(one, Table) and one.kind == "systems" and self.scale_name != "tiny":
                for row in one.rows:
                    if system := system_of(row.name):
                        self.tell(f"Seconds at 512²: {system.network}")
                        measure_speed(self.root, system)

    def results(self, experiment: Table | Figure) -> list[RowResult]:
        """What is known of an experiment's rows."""
        table = table_of(experiment)
        pictures = self.pictures(table)
        return [
            row_result(
                row,
                self.scale,
                pictures,
                test=experiment.test,
                seeds=self.seeds,
                root=self.root,
            )
            for row in rows_of(experiment)
        ]
