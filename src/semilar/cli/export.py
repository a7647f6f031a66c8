"""`semilar export`: a trained model as an ONNX file that runs without PyTorch."""

from pathlib import Path
from typing import Annotated

import typer

from semilar.cli.console import command, out, progress, say


@command
def export(
    model: Annotated[
        str, typer.Argument(help="A run's .safetensors file, or a bundled model's name.")
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT.onnx", help="The file to write.")],
    half: Annotated[
        bool, typer.Option("--half", help="Store the weights in half precision: half the size.")
    ] = False,
    working_size: Annotated[
        int | None,
        typer.Option(min=16, help="Short side at which it sees a photo; left out: its own."),
    ] = None,
    views: Annotated[
        int | None,
        typer.Option(min=1, max=8, help="Orientations in which it sees one; left out: its own."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write a trained model as an ONNX file: the base install runs it, and other programs can.

    The file is compared with the network in PyTorch on sample pictures before it takes its place.
    It carries the model's card, so that it sees photos at the same size and in the same views.

    Examples:

    semilar export runs/mine/best.safetensors mine.onnx

    semilar export runs/mine/best.safetensors mine.onnx --half --working-size 384
    """
    from semilar.restore import export_model

    with progress(total_known=False) as bar:
        bar.add_task("Exporting", total=None)
        done = export_model(
            model, target, half=half, working_size=working_size, views=views, force=force
        )
    say(
        f"The same as the network in PyTorch: they differ by {255 * done.difference:.4f} of 255 "
        f"levels at most; {target.stat().st_size / 1e6:.1f} MB, working size "
        f"{done.card.working_size}, views {done.card.views}."
    )
    out.print(str(target), markup=False)
