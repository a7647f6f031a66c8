"""`semilar bulk`: photos by the million, on this computer or a cluster."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semilar.cli.console import Exit, Verbosity, command, complain, err, print_json, say
from semilar.cli.options import (
    Device,
    FirstFrame,
    JsonSummary,
    Model,
    Quality,
    Strength,
    StripGps,
    WorkingSize,
)
from semilar.cli.remove import stopping
from semilar.threads import one_thread_for_algebra

if TYPE_CHECKING:
    from semilar.archive import Progress, Report

_LINE_EVERY = 30.0  # seconds between two lines where no bar can be drawn


Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE...",
        help="Folders, globs, lists (.parquet, .csv), tar shards; paths or addresses.",
        show_default=False,
    ),
]
BulkOutput = Annotated[str, typer.Option("-o", "--output", help="Folder or address for results.")]
BulkEngine = Annotated[str, typer.Option(help="Who does the work: local or ray.")]
Address = Annotated[
    str | None, typer.Option(help="A Ray cluster: auto, HOST:PORT, ray://HOST:PORT.")
]
Workers = Annotated[
    int | None,
    typer.Option("-j", "--workers", min=1, help="Left out: one per core or graphics card."),
]
BatchSize = Annotated[int | None, typer.Option(min=1, help="Photos handed to a worker at a time.")]
Manifest = Annotated[
    str | None,
    typer.Option(help="The ledger, a Parquet dataset; left out: OUTPUT/manifest.parquet."),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Try photos again that failed before.")
]
Inference = Annotated[
    str | None, typer.Option(help="What runs the network: onnx, torch or openvino.")
]
BeginAnyway = Annotated[
    bool, typer.Option("--force", help="Begin in a folder that holds files already.")
]
MetricsPort = Annotated[
    int | None, typer.Option(min=0, help="Prometheus metrics on this port of localhost.")
]


@command
def bulk(
    sources: Sources,
    output: BulkOutput,
    engine: BulkEngine = "local",
    address: Address = None,
    workers: Workers = None,
    batch: BatchSize = None,
    manifest: Manifest = None,
    retry_failed: RetryFailed = False,
    model: Model = "semilar-t",
    inference: Inference = None,
    device: Device = None,
    working_size: WorkingSize = None,
    strength: Strength = 1.0,
    quality: Quality = None,
    first_frame: FirstFrame = False,
    strip_gps: StripGps = False,
    force: BeginAnyway = False,
    metrics_port: MetricsPort = None,
    as_json: JsonSummary = False,
) -> None:
    """Take the flare out of very many photos, each exactly once, and keep a manifest of them.

    The results are those of `semilar remove`. Stop it, kill it, start it again: the same command
    does what is left. A photo that cannot be restored is a row of the manifest with its error.

    Examples:

    semilar bulk archive/ -o clean/

    semilar bulk s3://archive/2024 -o s3://clean/2024 --engine ray --address auto

    semilar bulk photos.parquet -o clean/ --retry-failed

    semilar bulk "shards/*.tar" -o clean-shards/
    """
    one_thread_for_algebra()
    from semilar.archive import bulk as run

    with stopping() as stop, _Display() as display:
        report = run(
            sources,
            output,
            engine=engine,
            address=address,
            workers=workers,
            batch=batch,
            model=model,
            inference=inference,
            device=device,
            working_size=working_size,
            strength=strength,
            quality=quality,
            first_frame=first_frame,
            strip_gps=strip_gps,
            manifest=manifest,
            retry_failed=retry_failed,
            force=force,
            metrics_port=metrics_port,
            on_progress=display.show,
            stop=stop,
        )
    _conclude(report, as_json)


class _Display:
    """A bar on a terminal, a line now and then in a log."""

    def __enter__(self) -> "_Display":
        from rich.progress import BarColumn, Progress, TextColumn

        self.bar = Progress(
            BarColumn(),
            TextColumn("{task.description}"),
            console=err,
            transient=True,
            disable=Verbosity.quiet or not err.is_terminal,
        )
        self.task = self.bar.add_task("Looking for photos", total=None)
        self.bar.start()
        self.last = time.monotonic()
        return self

    def __exit__(self, *_: Any) -> None:
        self.bar.stop()

    def show(self, progress: "Progress") -> None:
        """The newest counts."""
        line = progress.line()
        self.bar.update(self.task, description=line, total=progress.total, completed=progress.done)
        if not err.is_terminal and time.monotonic() - self.last > _LINE_EVERY:
            self.last = time.monotonic()
            say(line)


def _conclude(report: "Report", as_json: bool) -> None:
    """Say what became of all, and end with the status that tells."""
    if as_json:
        from dataclasses import asdict

        print_json(asdict(report))
    else:
        parts = [f"{report.done} done", f"{report.failed} failed"]
        before = report.before - report.failed_before
        parts += [f"{before} done before"] if before else []
        parts += [f"{report.failed_before} failed before"] if report.failed_before else []
        say(f"{', '.join(parts)} in {report.seconds:.1f} s.")
        if report.failed_before:
            say("Photos that failed before were left alone; --retry-failed tries them again.")
        say(f"Manifest: {report.manifest}; page: {report.summary}.")
    if report.left:
        complain(f"Stopped; {report.left} photos or shards are left, the others are whole.")
        raise typer.Exit(130)
    if not report.done and not report.before:
        if not report.failed:
            complain("There are no photos.")
        raise typer.Exit(Exit.UNUSABLE)
    if report.failed:
        raise typer.Exit(Exit.SOME_FAILED)
