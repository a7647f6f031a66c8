"""`semilar`: the group of verbs. Each verb's file imports what it needs when it is called."""

import sys
from typing import Annotated

import typer

from semilar import __version__
from semilar.cli import (
    benchmark,
    bulk,
    demo,
    evaluate,
    experiment,
    export,
    info,
    models,
    models_import,
    remove,
    repository,
    score,
    serve,
    synth,
    train,
    watch,
    weights,
)
from semilar.cli.console import Exit, Quiet, Verbose, Verbosity, out, unwritable
from semilar.cli.verbs import Group, Verb

app = typer.Typer(
    name="semilar",
    cls=Group,
    help="Removes lens flare from night photographs.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        out.print(f"semilar {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Removes lens flare from night photographs."""
    Verbosity.quiet, Verbosity.verbose = quiet, verbose


for verb in (
    benchmark.benchmark,
    bulk.bulk,
    demo.demo,
    evaluate.evaluate,
    export.export,
    info.info,
    remove.remove,
    score.score,
    serve.serve,
    synth.synth,
    train.train,
    watch.watch,
):
    app.command(cls=Verb)(verb)
app.add_typer(experiment.app, name="experiment")
app.add_typer(repository.app, name="repository")
models.app.command("import", cls=Verb)(models_import.import_model)
app.add_typer(models.app, name="models")
app.add_typer(weights.app, name="weights")


def run() -> None:
    """The console script."""
    try:
        app()
    except OSError as error:  # help on its way to a full disk; verbs have caught theirs
        unwritable(error)
        sys.exit(Exit.UNUSABLE)
