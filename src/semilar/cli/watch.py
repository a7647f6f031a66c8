"""`semilar watch`: a folder that fills up with photographs."""

import signal
from pathlib import Path
from typing import Annotated

import typer

from semilar.cli.console import say, sentences
from semilar.cli.remove import (
    Device,
    EngineName,
    FirstFrame,
    MaxPixels,
    Model,
    Quality,
    Size,
    Strength,
    StripGps,
    Threads,
    report,
)
from semilar.threads import one_thread_for_algebra


@sentences
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
    size: Size = None,
    max_pixels: MaxPixels = 200_000_000,
    first_frame: FirstFrame = False,
    strip_gps: StripGps = False,
) -> None:
    """Restore every photo that is or comes into a folder, until Ctrl-C.

    A file that is still being written is waited for; one that changes is restored again. Photos
    whose result is there and newer are passed, so that watching can be stopped and begun again.

    Example: semilar watch camera/ clean/
    """
    one_thread_for_algebra()
    from semilar.restore import Remover
    from semilar.restore.batch import Wishes, restore_file
    from semilar.restore.watch import Watcher

    watcher = Watcher(source, target, settle=settle)
    remover = Remover(model=model, engine=engine, device=device, threads=threads, short_side=size)
    wishes = Wishes(
        strength=strength,
        quality=quality,
        force=True,
        max_pixels=max_pixels,
        first_frame=first_frame,
        strip_gps=strip_gps,
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # services are stopped this way
    say(f"Watching {source}; Ctrl-C ends it.")
    count = 0
    try:
        for job in watcher.forever():
            report(restore_file(job, remover, wishes))
            count += 1
    except KeyboardInterrupt:
        say(f"Ended after {count} photos.")
