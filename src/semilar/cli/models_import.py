"""`semilar models import`: a checkpoint that others published, as a model."""

from pathlib import Path
from typing import Annotated

import typer

from semilar.cli.console import command, out, say


@command
def import_model(
    file: Annotated[Path, typer.Argument(help="A checkpoint: .pth, .pt, .ckpt or .safetensors.")],
    name: Annotated[
        str | None, typer.Option("--as", help="What --model shall call it; else the file's name.")
    ] = None,
    layout: Annotated[
        str,
        typer.Option(
            "--format",
            help="Whose file it is: auto, flare7k, flare7kpp, flare7k-unet, flare7kpp-unet, "
            "semi-lar, uformer, uformer-128, hinet, restormer, nafnet, mfdnet.",
        ),
    ] = "auto",
    licence: Annotated[
        str | None, typer.Option(help="The licence of the weights, for the card; yours to keep.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a model of this name.")] = False,
) -> None:
    """Make a model of a published checkpoint that you have; `--model NAME` then runs it.

    The file is read as plain tensors and nothing in it is run. auto takes Flare7K's networks for
    those whose light source is blended back; say flare7kpp for those that draw it themselves.

    Examples:

    semilar models import net_g_last.pth --as flare7kpp --format flare7kpp

    semilar models import model_best.pth --as semi-lar --licence "non-commercial, by its authors"
    """
    from semilar.checkpoints import UNKNOWN_LICENCE, import_checkpoint

    model = import_checkpoint(
        file, name=name, layout=layout, licence=licence or UNKNOWN_LICENCE, force=force
    )
    say(
        f"{model.title}: {model.parameters / 1e6:.2f} M parameters; licence: {model.licence}. "
        f"Use it with --model {model.path.stem}."
    )
    out.print(str(model.path), markup=False)
