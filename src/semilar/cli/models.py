"""`semilar models`: what `--model` takes, what can be trained, and the card of a bundled model."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semilar.cli.console import out, print_json, sentences
from semilar.cli.verbs import Group, Verb

if TYPE_CHECKING:
    from semilar.restore.models import Model

app = typer.Typer(
    cls=Group,
    help="List the models and the networks; show what is known of a model.\n\n"
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
    """List the models that --model takes, then the networks that recipes can train.

    Networks come with their parameters and multiply-accumulates at 512 x 512.

    Examples: semilar models | semilar models info semilar-t
    """
    if context.invoked_subcommand is not None:
        return
    from semilar.restore.models import bundled_models

    ours, networks = [_facts(model) for model in bundled_models()], _networks()
    if as_json:
        print_json({"models": ours, "networks": networks})
        return
    _print_models(ours)
    out.print()
    _print_networks(networks)


@app.command(cls=Verb)
@sentences
def info(
    name: Annotated[str, typer.Argument(help="The name of a model that comes with the package.")],
    as_json: Annotated[bool, typer.Option("--json", help="The whole card.")] = False,
) -> None:
    """Show what is known of a bundled model: size, figures, limits; all of it with --json.

    Examples: semilar models info semilar-t | semilar models info semilar-t --json
    """
    from semilar.weights import bundled

    card = json.loads(bundled(name, suffix=".json").read_text(encoding="utf-8"))
    if as_json:
        print_json(card)
        return
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for title, text in _lines(card):
        table.add_row(title, text.replace("[", r"\["))
    out.print(table)


def _facts(model: "Model") -> dict[str, Any]:
    file = model.onnx or model.safetensors
    card = model.card
    return {
        "name": model.name,
        "purpose": card.get("purpose", ""),
        "parameters": card.get("parameters"),
        "megabytes": round(file.stat().st_size / 1e6, 1) if file else None,
        "working_size": card.get("working_size"),
        "views": card.get("views"),
        "gains": _gains(card),
    }


def _gains(card: dict[str, Any]) -> list[str]:
    """One line for each set on which the model was measured against the untouched photos."""
    lines = []
    for name, figures in card.get("figures", {}).items():
        metrics = figures.get("metrics", {})
        psnr = metrics.get("outside_psnr") or metrics.get("psnr")
        if psnr:
            lines.append(f"{psnr['gain']['value']:+.1f} dB on {figures['pictures']} {name}")
    return lines


def _lines(card: dict[str, Any]) -> list[tuple[str, str]]:
    """What a person wants to know of a model, a title and a text each."""
    net = card.get("net", {})
    lines = [("name", card.get("name", "")), ("purpose", card.get("purpose", ""))]
    if "parameters" in card:
        lines.append(("parameters", f"{card['parameters'] / 1e6:.2f} M"))
    lines += [("network", net["name"])] if "name" in net else []
    lines += [
        (key.replace("_", " "), str(card[key])) for key in ("working_size", "views") if key in card
    ]
    lines += [("figures", gain) for gain in _gains(card)]
    lines += [(key, card[key]) for key in ("data", "limits", "licence") if key in card]
    if "photographs" in card:
        lines.append(("photographs", f"{len(card['photographs'])}; --json lists them"))
    return [(title, str(text)) for title, text in lines]


def _networks() -> list[dict[str, Any]]:
    """From a table in the package: counting takes PyTorch, which the base install has not."""
    import semilar

    table = Path(semilar.__file__).parent / "net" / "networks.json"
    return json.loads(table.read_text(encoding="utf-8"))


def _print_models(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("model", overflow="fold")
    for column in ("parameters", "MB", "working size"):
        table.add_column(column, justify="right")
    table.add_column("measured in PSNR", overflow="fold")
    for row in rows:
        table.add_row(
            row["name"],
            f"{row['parameters'] / 1e6:.2f} M" if row["parameters"] else "",
            str(row["megabytes"] or ""),
            str(row["working_size"] or ""),
            "; ".join(row["gains"]),
        )
    out.print(table)


def _print_networks(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("network to train", "parameters", "GMACs at 512²", "tiles", "what it is"):
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
