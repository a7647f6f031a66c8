"""`semilar`: the group of verbs. Each verb's file imports what it needs when it is called."""

from typing import Annotated

import typer

from semilar import __version__
from semilar.cli import (
    benchmark,
    demo,
    evaluate,
    info,
    models,
    remove,
    repository,
    score,
    serve,
    synth,
    train,
    watch,
    weights,
)
from semilar.cli.console import Verbosity, out

app = typer.Typer(
    name="semilar",
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
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Only errors.")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say more.")] = False,
) -> None:
    """Removes lens flare from night photographs."""
    Verbosity.quiet, Verbosity.verbose = quiet, verbose


app.command()(benchmark.benchmark)
app.command()(demo.demo)
app.command()(evaluate.evaluate)
app.command()(info.info)
app.command()(remove.remove)
app.command()(score.score)
app.command()(serve.serve)
app.command()(synth.synth)
app.command()(train.train)
app.command()(watch.watch)
app.add_typer(repository.app, name="repository")
app.add_typer(models.app, name="models")
app.add_typer(weights.app, name="weights")


def run() -> None:
    """The console script."""
    app()
