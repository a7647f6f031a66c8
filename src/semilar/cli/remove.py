"""`semilar remove`: photographs without their flare."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semilar.cli.console import (
    Exit,
    Verbosity,
    command,
    complain,
    detail,
    out,
    print_json,
    progress,
    say,
    with_remedy,
)
from semilar.cli.options import (
    Device,
    EngineName,
    FirstFrame,
    Force,
    JsonSummary,
    MaxPixels,
    Model,
    Quality,
    Strength,
    StripGps,
    Threads,
    Workers,
    WorkingSize,
)
from semilar.errors import SemilarError, SettingError, SeveralPicturesError
from semilar.threads import one_heap_for_all_threads, one_thread_for_algebra

if TYPE_CHECKING:
    from semilar.restore import Job, Outcome, PhotoOptions, Remover, Tally

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="IN...", help="Photos, folders, globs; - is standard input.", show_default=False
    ),
]
_ADVICE: dict[type[SemilarError], str] = {SeveralPicturesError: "take the first with --first-frame"}


Output = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        help="File or folder; - is standard output; left out: beside the original.",
    ),
]
MaskFile = Annotated[Path | None, typer.Option(help="A picture, white where flare may be removed.")]
FlareOut = Annotated[
    Path | None, typer.Option(help="Also write the removed light to this file or folder.")
]
Compare = Annotated[Path | None, typer.Option(help="Also write before and after in one picture.")]
SkipExisting = Annotated[
    bool, typer.Option("--skip-existing", help="Leave out photos that are done already.")
]


@command
def remove(
    inputs: Inputs,
    output: Output = None,
    strength: Strength = 1.0,
    mask: MaskFile = None,
    flare_out: FlareOut = None,
    compare: Compare = None,
    quality: Quality = None,
    model: Model = "semilar-t",
    engine: EngineName = None,
    device: Device = None,
    threads: Threads = None,
    workers: Workers = 2,
    working_size: WorkingSize = None,
    max_pixels: MaxPixels = 200_000_000,
    first_frame: FirstFrame = False,
    strip_gps: StripGps = False,
    skip_existing: SkipExisting = False,
    force: Force = False,
    as_json: JsonSummary = False,
) -> None:
    """Take the flare out of photographs; size, format, colours and metadata stay.

    A photo without flare is copied. In a lossless format a value changes only where at least half
    a level is taken away; a JPEG is compressed anew, in the quality it had. In a folder of results
    photos of the same name are numbered in the order given: street.jpg, street-2.jpg.

    Examples:

    semilar remove street.jpg

    semilar remove holiday/ -o clean/ --skip-existing

    semilar remove "*.heic" -o out/ --strength 0.7 --compare compared/

    semilar remove street.jpg -o - > clean.jpg

    cat in.jpg | semilar remove - > out.jpg
    """
    one_thread_for_algebra()
    one_heap_for_all_threads()
    from semilar.restore import STREAM, PhotoOptions, plan_jobs

    options = PhotoOptions(
        strength=strength,
        mask=mask,
        quality=quality,
        force=force,
        skip_existing=skip_existing,
        max_pixels=max_pixels,
        first_frame=first_frame,
        strip_gps=strip_gps,
    )
    todo = plan_jobs(inputs, output, flare=flare_out, compare=compare)
    if as_json and any(job.target == STREAM for job in todo.jobs):
        raise SettingError("-: standard output is taken by the photo; leave --json out.")
    for complaint in todo.complaints:
        complain(complaint)
    if not todo.jobs:
        raise typer.Exit(Exit.UNUSABLE)
    workers = min(workers, len(todo.jobs))
    started = time.perf_counter()
    with ThreadPoolExecutor(1, thread_name_prefix="model") as loading:  # while photos are read
        remover = loading.submit(
            open_session, model, engine, device, threads, working_size, workers=workers
        )
        tally = _run(todo.jobs, remover, options, workers, quiet=as_json)
    _conclude(tally, time.perf_counter() - started, len(todo.jobs), len(todo.complaints), as_json)


def open_session(
    model: str,
    engine: str | None,
    device: str | None,
    threads: int | None,
    working_size: int | None,
    *,
    workers: int,
) -> "Remover":
    """The model, ready for `workers` photos at the same time."""
    from semilar.restore import Remover
    from semilar.threads import cores

    share = threads or max(1, cores() // workers)
    started = time.perf_counter()
    remover = Remover(
        model=model, engine=engine, device=device, threads=share, working_size=working_size
    )
    used = type(remover.engine).__name__.removesuffix("Engine").lower()
    detail(
        f"{model}: engine {used} on {device or 'cpu'}, working size {remover.working_size}, views "
        f"{remover.views}, workers {workers}, threads {share}; loaded in "
        f"{time.perf_counter() - started:.2f} s."
    )
    return remover


@contextlib.contextmanager
def stopping() -> Iterator[threading.Event]:
    """An event that Ctrl-C or SIGTERM sets; a second one ends the program at once."""
    stop = threading.Event()

    def begin(number: int, _frame: Any) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)
        if not Verbosity.quiet:  # straight to the terminal: the console may be in use just now
            os.write(2, b"Stopping after the photos that have begun; Ctrl-C again ends at once.\n")

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, begin) for number in numbers]
    try:
        yield stop
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _run(
    jobs: list["Job"],
    remover: "Future[Remover]",
    options: "PhotoOptions",
    workers: int,
    *,
    quiet: bool,
) -> "Tally":
    from semilar.restore import Tally, restore_jobs

    tally = Tally()
    with stopping() as stop, progress() as bar:
        task = bar.add_task("Removing flare", total=len(jobs))
        for outcome in restore_jobs(jobs, remover, options, workers=workers, stop=stop):
            tally.add(outcome)
            report(outcome, strength=options.strength, quiet=quiet)
            bar.advance(task)
    return tally


def report(outcome: "Outcome", *, strength: float, quiet: bool = False) -> None:
    """One line about one photo: results on standard output, the rest on standard error."""
    from semilar.restore import STREAM, shown

    source, target = shown(outcome.job.source), outcome.job.target
    if outcome.error is not None:
        error = outcome.error
        known = with_remedy(error, _ADVICE) if isinstance(error, SemilarError) else None
        complain(known or outcome.message)
        return
    if quiet:
        return
    for note in outcome.notes:
        say(note)
    same = f"{'standard output' if target == STREAM else target} gets the same picture"
    if outcome.status == "skipped":
        say(f"{source}: skipped, {target} is there.")
    elif strength == 0:
        say(f"{source}: a strength of 0 takes nothing; {same}.")
    elif outcome.status == "unchanged":
        say(f"{source}: no flare found; {same}.")
    elif outcome.found == "weak":
        say(f"{source}: little flare found; hardly a difference.")
    if outcome.working_size:
        height, width = outcome.working_size
        detail(
            f"{source}: flare of {outcome.light:.2%} of full light on average; the network saw "
            f"{width} x {height}; {outcome.seconds:.2f} s."
        )
    if target != STREAM and not Verbosity.quiet:
        out.print(str(target), markup=False)


def _conclude(tally: "Tally", seconds: float, jobs: int, complaints: int, as_json: bool) -> None:
    """Say what became of all, and end with the status that tells."""
    done, failed = len(tally.rows), tally.counts["failed"]
    if as_json:
        print_json(tally.summary(seconds))
    elif jobs + complaints > 1:
        parts = [f"{count} {word}" for word, count in tally.counts.items() if count]
        parts += [f"{jobs - done} left"] if done < jobs else []
        photos = "1 photo" if jobs == 1 else f"{jobs} photos"
        say(f"{photos} in {seconds:.1f} s: {', '.join(parts)}.")
    if done < jobs:
        complain(f"Stopped; {jobs - done} of {jobs} photos are left, the others are whole.")
        raise typer.Exit(130)
    if failed == done:
        raise typer.Exit(Exit.UNUSABLE)
    if failed or complaints:
        raise typer.Exit(Exit.SOME_FAILED)
