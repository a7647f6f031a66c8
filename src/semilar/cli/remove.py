"""`semilar remove`: photographs without their flare."""

import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semilar.cli.console import Exit, complain, out, print_json, progress, say, sentences
from semilar.errors import SemilarError
from semilar.threads import one_thread_for_algebra

if TYPE_CHECKING:
    from semilar.restore.batch import Outcome, Wishes
    from semilar.restore.remover import Remover

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="IN...", help="Photos, folders, globs; - is standard input.", show_default=False
    ),
]
Model = Annotated[
    str, typer.Option(help="A bundled model's name, or a .onnx or .safetensors file.")
]
EngineName = Annotated[
    str | None, typer.Option(help="What runs the network: onnx, torch or openvino.")
]
Device = Annotated[str | None, typer.Option(help="Where it runs: cpu, cuda, ...")]
Threads = Annotated[
    int | None, typer.Option(min=1, help="Cores per photo; left out: a fair share.")
]
Workers = Annotated[int, typer.Option("-j", "--workers", min=1, help="Photos at the same time.")]
Size = Annotated[
    int | None, typer.Option(min=16, help="Short side at which the network sees a photo.")
]
Strength = Annotated[
    float, typer.Option(min=0, max=1, help="How much of the flare to take; 0 is nothing.")
]
Quality = Annotated[
    int | None,
    typer.Option(min=1, max=100, help="JPEG, WebP, AVIF, HEIC; left out: as the original."),
]
MaxPixels = Annotated[int, typer.Option(min=1, help="Refuse photos of more pixels.")]
FirstFrame = Annotated[
    bool, typer.Option("--first-frame", help="Take the first picture of animations and pages.")
]
StripGps = Annotated[bool, typer.Option("--strip-gps", help="Leave out where the photo was taken.")]


@sentences
def remove(
    inputs: Inputs,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="File or folder; left out: beside the original."),
    ] = None,
    strength: Strength = 1.0,
    mask: Annotated[
        Path | None, typer.Option(help="A picture, white where flare may be removed.")
    ] = None,
    flare_out: Annotated[
        Path | None, typer.Option(help="Also write the removed light to this file or folder.")
    ] = None,
    compare: Annotated[
        Path | None, typer.Option(help="Also write before and after side by side.")
    ] = None,
    quality: Quality = None,
    model: Model = "semilar-t",
    engine: EngineName = None,
    device: Device = None,
    threads: Threads = None,
    workers: Workers = 2,
    size: Size = None,
    max_pixels: MaxPixels = 200_000_000,
    first_frame: FirstFrame = False,
    strip_gps: StripGps = False,
    skip_existing: Annotated[
        bool, typer.Option("--skip-existing", help="Leave out photos that are done already.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="A summary to read by machine.")] = False,
) -> None:
    """Take the flare out of photographs; size, format, colours and metadata stay.

    Where nothing is removed every pixel stays as it is, and a photo without flare is copied.

    Examples:

    semilar remove street.jpg

    semilar remove holiday/ -o clean/ --skip-existing

    semilar remove "*.heic" -o out/ --strength 0.7 --compare compared/

    cat in.jpg | semilar remove - > out.jpg
    """
    one_thread_for_algebra()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # no half-written file stays
    from semilar.restore.batch import Wishes
    from semilar.restore.jobs import plan

    wishes = Wishes(
        strength=strength,
        mask=mask,
        quality=quality,
        force=force,
        skip_existing=skip_existing,
        max_pixels=max_pixels,
        first_frame=first_frame,
        strip_gps=strip_gps,
    )
    if "-" in inputs:
        if len(inputs) > 1 or flare_out or compare or as_json:
            raise SemilarError("-: standard input goes alone, without --flare-out and the like.")
        _pipe(_session(model, engine, device, threads, size, workers=1), wishes, output)
        return
    todo = plan(inputs, output, flare=flare_out, compare=compare)
    for complaint in todo.complaints:
        complain(complaint)
    if not todo.jobs:
        raise typer.Exit(Exit.UNUSABLE)
    workers = min(workers, len(todo.jobs))
    remover = _session(model, engine, device, threads, size, workers=workers)
    started = time.perf_counter()
    outcomes = _run(todo.jobs, remover, wishes, workers, quiet=as_json)
    _conclude(outcomes, time.perf_counter() - started, len(todo.complaints), as_json)


def _session(
    model: str,
    engine: str | None,
    device: str | None,
    threads: int | None,
    size: int | None,
    *,
    workers: int,
) -> "Remover":
    from semilar.restore import Remover
    from semilar.restore.engines import cores

    share = threads or max(1, cores() // workers)
    return Remover(model=model, engine=engine, device=device, threads=share, short_side=size)


def _run(jobs, remover: "Remover", wishes: "Wishes", workers: int, quiet: bool) -> list["Outcome"]:
    from semilar.restore.batch import run

    outcomes: list[Outcome] = []
    with progress() as bar:
        task = bar.add_task("Removing flare", total=len(jobs))
        try:
            for outcome in run(jobs, remover, wishes, workers=workers):
                outcomes.append(outcome)
                report(outcome, quiet=quiet)
                bar.advance(task)
        except KeyboardInterrupt:
            left = len(jobs) - len(outcomes)
            complain(f"Stopped; {left} of {len(jobs)} photos are left, the others are whole.")
            raise typer.Exit(130) from None
    return outcomes


def report(outcome: "Outcome", *, quiet: bool = False) -> None:
    """One line about one photo: results on standard output, the rest on standard error."""
    if outcome.status == "failed":
        complain(outcome.message)
    elif not quiet:
        if outcome.message:
            say(outcome.message)
        if outcome.status == "unchanged":
            say(f"{outcome.source}: no flare found; {outcome.target} is a plain copy.")
        elif outcome.status == "skipped":
            say(f"{outcome.source}: skipped, {outcome.target} is there.")
        out.print(str(outcome.target), markup=False)


def _conclude(outcomes: list["Outcome"], seconds: float, complaints: int, as_json: bool) -> None:
    from semilar.restore.batch import summary

    counts = summary(outcomes, seconds)
    if as_json:
        print_json(counts)
    elif len(outcomes) + complaints > 1:
        words = ("restored", "unchanged", "skipped", "failed")
        parts = [f"{counts[word]} {word}" for word in words if counts[word]]
        say(f"{len(outcomes)} photos in {seconds:.1f} s: {', '.join(parts)}.")
    failed = sum(one.status == "failed" for one in outcomes)
    if failed == len(outcomes):
        raise typer.Exit(Exit.UNUSABLE)
    if failed or complaints:
        raise typer.Exit(Exit.SOME_FAILED)


def _pipe(remover: "Remover", wishes: "Wishes", output: Path | None) -> None:
    """Standard input to standard output, or to the file `output`."""
    from semilar import photo

    before = wishes.read(sys.stdin.buffer.read(), name="standard input")
    for note in before.notes:
        say(note)
    result = remover.remove(before, strength=wishes.strength, mask=wishes.mask)
    if not result.found:
        say("standard input: no flare found; it is passed on as it is.")
    if output is not None and output != Path("-"):
        photo.write(result.image, output, quality=wishes.quality, force=wishes.force)
    else:
        sys.stdout.buffer.write(photo.encode(result.image, quality=wishes.quality))
        sys.stdout.buffer.flush()
