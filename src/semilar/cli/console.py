"""How verbs speak: results on standard output, everything else on standard error."""

import inspect
import json
import os
import sys
from collections.abc import Callable
from enum import IntEnum
from functools import wraps
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from semilar.errors import OutputExistsError, RunExistsError, SemilarError
from semilar.extras import missing_extra

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


class Exit(IntEnum):
    """Exit status: what a script may rely on."""

    DONE = 0
    SOME_FAILED = 1
    UNUSABLE = 2


class Verbosity:
    """Set by the `-q` and `-v` options, which stand before the verb or after it."""

    quiet = False
    verbose = False


Quiet = Annotated[
    bool, typer.Option("-q", "--quiet", help="No progress, remarks or file names; errors stay.")
]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Say more.")]

# What a person at the command line can do about an error of the package; the first that fits.
_REMEDIES: dict[type[SemilarError], str] = {
    RunExistsError: "add --resume to go on with it, or give another folder with run=FOLDER",
    OutputExistsError: "use --force to replace it",
}


def say(message: str) -> None:
    """Tell the person something that is not the result; silent with `-q`."""
    if not Verbosity.quiet:
        err.print(message, markup=False)


def detail(message: str) -> None:
    """Tell something only those want to know who asked with `-v`."""
    if Verbosity.verbose:
        err.print(message, style="dim", markup=False)


def with_remedy(error: SemilarError, more: dict[type[SemilarError], str] | None = None) -> str:
    """The error, and what to do about it on the command line; `more` holds a verb's own advice."""
    known = (more or {}) | _REMEDIES
    remedy = next((remedy for kind, remedy in known.items() if isinstance(error, kind)), None)
    return f"{str(error).removesuffix('.')}; {remedy}." if remedy else str(error)


def complain(message: str) -> None:
    """Say that something failed; `-q` does not hide it."""
    err.print(message, style="red", markup=False)


def print_json(value: Any) -> None:
    """A result for a machine to read."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def progress(total_known: bool = True) -> Progress:
    """A progress bar on standard error, gone when done, absent with `-q` or in a pipe."""
    columns = [TextColumn("{task.description}"), BarColumn()]
    columns += [MofNCompleteColumn()] if total_known else []
    return Progress(
        *columns,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=Verbosity.quiet or not err.is_terminal,
    )


def command(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Show errors that a user can mend as one line, with status 2; add `-q` and `-v`."""

    @wraps(verb)
    def guarded(*args: Any, quiet: bool = False, verbose: bool = False, **kwargs: Any) -> Any:
        Verbosity.quiet |= quiet
        Verbosity.verbose |= verbose
        try:
            try:
                return verb(*args, **kwargs)
            finally:
                sys.stdout.flush()  # what fails only when the program ends is a traceback
        except SemilarError as error:
            complain(with_remedy(error))
            raise typer.Exit(Exit.UNUSABLE) from None
        except ModuleNotFoundError as error:
            missing = missing_extra(error)
            if missing is None:
                raise
            complain(str(missing))
            raise typer.Exit(Exit.UNUSABLE) from None
        except BrokenPipeError:
            _drop_output()
            raise typer.Exit(Exit.DONE) from None
        except OSError as error:  # a full disk, a folder without permission
            unwritable(error)
            raise typer.Exit(Exit.UNUSABLE) from None

    return _with_verbosity(guarded, verb)


def unwritable(error: OSError) -> None:
    """Say what the system did not allow."""
    _drop_output()
    place = error.filename or "the output"
    complain(f"{place}: cannot be read or written ({error.strerror or error}).")


def _drop_output() -> None:
    """Send what standard output could not take nowhere: Python would try again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _with_verbosity(guarded: Callable[..., Any], verb: Callable[..., Any]) -> Callable[..., Any]:
    """Let Typer see the parameters of `verb` and, after them, `-q` and `-v`."""
    signature = inspect.signature(verb, eval_str=True)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in (("quiet", Quiet), ("verbose", Verbose))
    ]
    shown = signature.replace(parameters=[*signature.parameters.values(), *more])
    guarded.__signature__ = shown  # type: ignore[attr-defined]
    guarded.__annotations__ = {one.name: one.annotation for one in shown.parameters.values()}
    return guarded
