"""`semilar watch`: a folder that fills up with photographs."""

from pathlib import Path
from typing import Annotated

import typer

from semilar.cli.console import command, say
from semilar.cli.options import (
    Device,
    EngineName,
    FirstFrame,
    MaxPixels,
    Model,
    Quality,
    Strength,
    StripGps,
    Threads,
    Workers,
    WorkingSize,
)
from semilar.cli.remove import open_session, report, stopping
from semilar.threads import one_heap_for_all_threads, one_thread_for_algebra

_PAUSE = 0.5  # seconds between two looks


@command
def watch(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The folder that fills up.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The folder for results.")],
    strength: Strength = 1.0,
    quality: Quality = None,
    settle: Annotated[
        float, typer.Option(min=0, help="Seconds that a file has to rest before it is read.")
    ] = 1.0,
    model: Model = "semilar-t",
    engine: EngineName = None,
    device: Device = None,
    threads: Threads = None,
    workers: Workers = 1,
    working_size: WorkingSize = None,
    max_pixels: MaxPixels = 200_000_000,
    first_frame: FirstFrame = False,
    strip_gps: StripGps = False,
) -> None:
    """Restore every photo that is or comes into a folder, until Ctrl-C.

    A file that is still being written is waited for; one that changes is restored again. Photos
    whose result is there and newer are left out, so that watching can be stopped and begun again.

    Example: semilar watch camera/ clean/
    """
    one_thread_for_algebra()
    one_heap_for_all_threads()
    from semilar.restore import PhotoOptions, Watcher, restore_jobs

    watcher = Watcher(source, target, settle=settle)
    remover = open_session(model, engine, device, threads, working_size, workers=workers)
    options = PhotoOptions(
        strength=strength,
        quality=quality,
        force=True,
        max_pixels=max_pixels,
        first_frame=first_frame,
        strip_gps=strip_gps,
    )
    say(f"Watching {source}; Ctrl-C ends it.")
    count = 0
    with stopping() as stop:
        while not stop.wait(_PAUSE):
            for outcome in restore_jobs(
                watcher.look(), remover, options, workers=workers, stop=stop
            ):
                report(outcome, strength=strength)
                count += 1
    say(f"Ended after {count} photos.")
