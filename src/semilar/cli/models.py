"""`semilar models`: the networks that can be trained, and the card of a bundled model."""

from typing import Annotated, Any

import typer

from semilar.cli.console import out, print_json, progress, sentences
from semilar.cli.verbs import Group, Verb

app = typer.Typer(
    cls=Group,
    help="List the networks; show what is known of a bundled model.\n\n"
    "Example: semilar models --json",
    invoke_without_command=True,
    rich_markup_mode="rich",
)


@app.callback()
@sentences
def models(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="For a machine to read.")] = False,
) -> None:
    """List the networks with their parameters and multiply-accumulates at 512 x 512.

    Example: semilar models
    """
    if context.invoked_subcommand is not None:
        return
    rows = _rows()
    if as_json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("name", "parameters", "GMACs at 512²", "tiles", "what it is"):
        number = column in ("parameters", "GMACs at 512²")
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(
            row["name"],
            f"{row['parameters'] / 1e6:.2f} M",
            f"{row['gmacs_512']:.2f}",
            "no" if row["global_context"] else "yes",
            row["summary"],
        )
    out.print(table)


@app.command(cls=Verb)
@sentences
def info(name: Annotated[str, typer.Argument(help="The name of a bundled model.")]) -> None:
    """Print the card of a bundled model as JSON: data, training, figures, licence.

    Example: semilar models info flare
    """
    import json

    from semilar.weights import bundled

    print_json(json.loads(bundled(name, suffix=".json").read_text(encoding="utf-8")))


def _rows() -> list[dict[str, Any]]:
    from semilar.extras import load_extra

    load_extra("torch", "train")
    from semilar.net.cost import cost
    from semilar.net.registry import REGISTRY

    rows = []
    with progress() as bar:
        for name, net in bar.track(REGISTRY.items(), description="Counting"):
            counted = cost(name)
            rows.append(
                {
                    "name": name,
                    "parameters": counted.parameters,
                    "gmacs_512": counted.macs / 1e9,
                    "multiple": net.multiple,
                    "min_size": net.min_size,
                    "global_context": net.global_context,
                    "summary": net.summary,
                }
            )
    return rows
