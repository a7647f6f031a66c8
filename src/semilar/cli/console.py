"""How verbs speak: results on standard output, everything else on standard error."""

import json
from collections.abc import Callable
from enum import IntEnum
from functools import wraps
from typing import Any

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

from semilar.errors import SemilarError
from semilar.extras import missing_extra

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


class Exit(IntEnum):
    """Exit status: what a script may rely on."""

    DONE = 0
    SOME_FAILED = 1
    UNUSABLE = 2


class Verbosity:
    """Set once by the `-q` and `-v` options of `semilar` itself."""

    quiet = False
    verbose = False


def say(message: str) -> None:
    """Tell the person something that is not the result; silent with `-q`."""
    if not Verbosity.quiet:
        err.print(message, markup=False)


def detail(message: str) -> None:
    """Tell something only those want to know who asked with `-v`."""
    if Verbosity.verbose:
        err.print(message, style="dim", markup=False)


def complain(message: str) -> None:
    """One sentence about something that failed; `-q` does not hide it."""
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


def sentences(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Turn the errors that a user can mend into one sentence and status 2."""

    @wraps(verb)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return verb(*args, **kwargs)
        except SemilarError as error:
            complain(str(error))
            raise typer.Exit(Exit.UNUSABLE) from None
        except ModuleNotFoundError as error:
            missing = missing_extra(error)
            if missing is None:
                raise
            complain(str(missing))
            raise typer.Exit(Exit.UNUSABLE) from None
        except BrokenPipeError:
            raise typer.Exit(Exit.DONE) from None

    return guarded
