"""`semilar experiment`: the tables and figures of the paper, by one command each."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as Shown

from semilar.cli.console import Exit, command, complain, out, print_json, say
from semilar.cli.options import AsJson
from semilar.cli.verbs import Group, Verb
from semilar.errors import SettingError

app = typer.Typer(
    cls=Group, help="Run the paper's tables and figures, and set them beside its numbers."
)

Name = Annotated[str, typer.Argument(help="An experiment (`semilar experiment list`), or all.")]
ScaleName = Annotated[
    str, typer.Option("--scale", help="desk (minutes a row), paper (as published), or tiny.")
]
Seeds = Annotated[int, typer.Option(min=1, help="How many trainings each row has.")]
Root = Annotated[
    Path | None, typer.Option("--runs", help="Folder of the runs (runs/experiments-SCALE).")
]
Backgrounds = Annotated[
    Path | None,
    typer.Option(help="Photographs without flare; at desk scale, left out: drawn scenes."),
]
Patterns = Annotated[
    Path | None, typer.Option(help="Flare patterns (Flare7K++), for the paper's scale.")
]
OtherPatterns = Annotated[
    Path | None,
    typer.Option(help="An older collection (Flare7K), for rows that learn from it."),
]
Tests = Annotated[
    list[str] | None,
    typer.Option("--test", help="A real test set, NAME=FOLDER, such as flare7kpp=test_data/real."),
]


@app.command("list", cls=Verb)
@command
def list_experiments(
    as_json: AsJson = False,
) -> None:
    """List every experiment: where the paper has it and how many rows it has.

    Example: semilar experiment list
    """
    _need()
    from semilar.experiment import experiments

    known = experiments()
    if as_json:
        print_json({name: one.model_dump(mode="json") for name, one in known.items()})
        return
    table = Shown(box=None, header_style="bold", pad_edge=False)
    for heading in ("name", "kind", "rows", "in the paper", "title"):
        table.add_column(heading, no_wrap=heading == "name")  # a name is there to be copied
    for name, one in known.items():
        where = one.source if ":" in one.source else "–"
        table.add_row(name, one.kind, str(len(one.rows)), where, one.title)
    out.print(table)


@app.command(cls=Verb)
@command
def show(
    name: Name,
    scale: ScaleName = "desk",
    as_json: AsJson = False,
) -> None:
    """Show the rows of an experiment: what is trained, and the paper's numbers.

    Example: semilar experiment show ablation-core
    """
    _need()
    from semilar.experiment import find_scale, named, row_values, rows_of

    size = find_scale(scale)
    found = named(name)
    if as_json:
        print_json({one: each.model_dump(mode="json") for one, each in found.items()})
        return
    for title, each in found.items():
        table = Shown(title=f"{title}: {each.title}", title_justify="left", box=None)
        for heading in ("row", "recipe", "network", "labels", "paper's PSNR"):
            table.add_column(heading)
        for row in rows_of(each):
            network = "–" if row.missing else row_values(row, size)["net"]["name"]
            paper = f"{row.paper['psnr']:.3f}" if "psnr" in row.paper else "–"
            recipe = f"not here: {row.missing}" if row.missing else row.recipe
            table.add_row(row.name, recipe, network, row.labels, paper)
        out.print(table)


@app.command(cls=Verb)
@command
def run(
    name: Name,
    scale: ScaleName = "desk",
    seeds: Seeds = 3,
    only: Annotated[str | None, typer.Option(help="One row alone, by its name.")] = None,
    runs: Root = None,
    backgrounds: Backgrounds = None,
    patterns: Patterns = None,
    other_patterns: OtherPatterns = None,
    test: Tests = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would run and for how long; train nothing.")
    ] = False,
) -> None:
    """Train and evaluate every row of an experiment that is not done yet.

    Stopped or killed, the same command goes on where it was. Several processes, on several
    computers that share the folder, may run the same command: each row is run by one of them. A row
    that fails is told with its reason; the others go on, and the next call tries it again.

    Examples:

      semilar experiment run ablation-core

      semilar experiment run all --dry-run

      semilar experiment run comparison --only Uformer --seeds 1

      semilar experiment run all --scale paper --backgrounds Flickr24K --patterns Flare7Kpp
      --test flare7kpp=Flare7Kpp/test_data/real
    """
    _need()
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    study = _study(scale, seeds, runs, backgrounds, patterns, other_patterns, test)
    tasks = study.tasks(name, only=only)
    if dry_run:
        _dry_run(study, tasks)
        return
    _warn_of_weights(tasks)
    failed = _run(study, tasks)
    if only is None:
        study.measure_speeds(name)
    if failed:
        raise typer.Exit(Exit.SOME_FAILED)


@app.command(cls=Verb)
@command
def table(
    name: Name,
    scale: ScaleName = "desk",
    seeds: Seeds = 3,
    target: Annotated[
        Path | None, typer.Option("--out", help="Markdown file; figures go beside it.")
    ] = None,
    runs: Root = None,
    backgrounds: Backgrounds = None,
    patterns: Patterns = None,
    other_patterns: OtherPatterns = None,
    test: Tests = None,
) -> None:
    """Print what has been run, with the paper's numbers beside it, as Markdown.

    Every row has its numbers with intervals, or the reason that it has none.

    Example: semilar experiment table all --out docs/results.md
    """
    _need()
    from semilar.experiment import results_page

    study = _study(scale, seeds, runs, backgrounds, patterns, other_patterns, test)
    text = results_page(study, name, target)
    if target is None:
        print(text)
    else:
        say(f"Written: {target}")


@app.command(cls=Verb)
@command
def split(
    backgrounds: Annotated[Path, typer.Argument(help="The folder of all backgrounds.")],
    target: Annotated[Path, typer.Option("--out", help="Folder for the lists and the manifest.")],
    labeled: Annotated[int, typer.Option(min=1, help="How many are for labels.")] = 8000,
    unlabeled: Annotated[int, typer.Option(min=1, help="How many have none.")] = 8000,
) -> None:
    """Split backgrounds as the paper does: the first 8,000 for labels, the next without.

    Writes labeled.txt, unlabeled.txt and manifest.json with the checksum of every file. A recipe
    takes a list with labeled.backgrounds.names=labeled.txt.

    Example: semilar experiment split Flickr24K --out split
    """
    _need()
    from semilar.experiment import split_backgrounds

    made = split_backgrounds(backgrounds, target, labeled=labeled, unlabeled=unlabeled)
    for part, files in made.files.items():
        out.print(f"{made.lists[part]}: {len(files)} {part}", markup=False)


def _need() -> None:
    from semilar.extras import load_extra

    for module, extra in (("torch", "train"), ("filelock", "experiment")):
        load_extra(module, extra, what="semilar experiment")


def _study(
    scale: str,
    seeds: int,
    runs: Path | None,
    backgrounds: Path | None,
    patterns: Path | None,
    other_patterns: Path | None,
    tests: list[str] | None,
) -> Any:
    from semilar.experiment import Given, Study

    given = Given(backgrounds=backgrounds, patterns=patterns, other_patterns=other_patterns)
    root = runs or Path("runs") / f"experiments-{scale}"
    return Study(root.resolve(), scale, seeds, given, dict(map(_test, tests or [])), tell=say)


def _test(text: str) -> tuple[str, Path]:
    name, equals, folder = text.partition("=")
    if not equals or not Path(folder).is_dir():
        raise SettingError(f"--test {text}: give NAME=FOLDER, and a folder that is there.")
    return name, Path(folder).resolve()


def _run(study: Any, tasks: list[Any]) -> int:
    """Run the tasks; gives how many failed."""
    from semilar.cli.train import ProgressDisplay
    from semilar.experiment import Stopped

    counts = dict.fromkeys(("done", "there", "busy", "failed"), 0)
    bar: ProgressDisplay | None = None

    def display(task: Any) -> ProgressDisplay:
        nonlocal bar
        if bar is not None:
            bar.end()
        bar = ProgressDisplay()
        return bar

    try:
        for number, (task, outcome) in enumerate(study.run(tasks, display), 1):
            counts[outcome.state] += 1
            line = f"{number} of {len(tasks)}  {task.row.name}, seed {task.seed}: {outcome.state}"
            if outcome.state == "failed":
                complain(f"{line}, {outcome.reason}")
            else:
                say(line)
        if counts["failed"] and study.scale_name == "paper":
            complain("The paper's data: --backgrounds, --patterns, --other-patterns, --test.")
    except Stopped as reason:
        complain(f"Stopped ({reason}); the same command goes on from here.")
        raise typer.Exit(Exit.SOME_FAILED) from None
    finally:
        if bar is not None:
            bar.end()
    words = {"done": "done now", "there": "done before", "busy": "at work elsewhere"}
    say(", ".join(f"{count} {words.get(name, name)}" for name, count in counts.items() if count))
    return counts["failed"]


def _dry_run(study: Any, tasks: list[Any]) -> None:
    from semilar.experiment import minutes

    whole = 0.0
    for task, took, state in minutes(study, tasks):
        whole += took
        text = state if state else f"about {took:.1f} min"
        out.print(f"{task.row.name}, seed {task.seed}: {text}", markup=False)
    out.print(f"all: {len(tasks)} trainings, about {whole / 60:.1f} h by one process", markup=False)


def _warn_of_weights(tasks: list[Any]) -> None:
    """Say before the work which weights are missing."""
    from semilar import weights
    from semilar.errors import SemilarError
    from semilar.experiment import has_lpips

    recipes = [task.job.recipe for task in tasks if not isinstance(task.job, str)]
    wanted = any((one.semi and one.semi.needs_features()) or one.loss.perceptual for one in recipes)
    if wanted:
        try:
            weights.locate("vgg16")
        except SemilarError as error:
            complain(f"Rows with features will fail. {error}")
    if not has_lpips():
        say("LPIPS is left out: semilar weights fetch alexnet, then lpips-alex.")
