"""`semilar models`: what `--model` takes, what can be trained, cards, and models of others."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semilar.cli.console import command, out, print_json
from semilar.cli.options import AsJson
from semilar.cli.verbs import Group, Verb

if TYPE_CHECKING:
    from semilar.restore import Model
    from semilar.weights import ModelCard

app = typer.Typer(
    cls=Group,
    help="List models and networks, show what is known of a model, import models of others.\n\n"
    "Example: semilar models --json",
    invoke_without_command=True,
    rich_markup_mode="rich",
)


@app.callback()
@command
def models(
    context: typer.Context,
    as_json: AsJson = False,
) -> None:
    """List the models that --model takes, then the networks that recipes can train.

    Networks come with their parameters and multiply-accumulates at 512 x 512.

    Examples: semilar models | semilar models info semilar-t | semilar models import net.pth
    """
    if context.invoked_subcommand is not None:
        return
    from semilar.restore import known_models

    ours, networks = [_facts(model) for model in known_models()], _networks()
    if as_json:
        print_json({"models": ours, "networks": networks})
        return
    _print_models(ours)
    out.print()
    _print_networks(networks)


@app.command(cls=Verb)
@command
def info(
    name: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="A model's name, or a .onnx or .safetensors file."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="The whole card.")] = False,
) -> None:
    """Show what is known of a model: size, figures, limits, origin; all of it with --json.

    Examples: semilar models info semilar-t | semilar models info runs/mine/best.safetensors --json
    """
    from semilar.restore import find_model

    card = find_model(name).card
    if as_json:
        print_json(card.to_dict())
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
        "purpose": card.purpose,
        "parameters": card.parameters,
        "megabytes": round(file.stat().st_size / 1e6, 1) if file else None,
        "working_size": card.working_size,
        "views": card.views,
        "gains": _gains(card),
    }


def _gains(card: "ModelCard") -> list[str]:
    """One line for each set on which the model was measured against the untouched photos."""
    lines = []
    for name, figures in card.figures.items():
        metrics = figures.get("metrics", {})
        psnr = metrics.get("outside_psnr") or metrics.get("psnr")
        if psnr:
            lines.append(f"{psnr['gain']['value']:+.1f} dB on {figures['pictures']} {name}")
    return lines


def _lines(card: "ModelCard") -> list[tuple[str, str]]:
    """What a person wants to know of a model, a title and a text each; what is unknown is not."""
    millions = f"{card.parameters / 1e6:.2f} M" if card.parameters else ""
    lines = [("name", card.name), ("purpose", card.purpose), ("parameters", millions)]
    if card.net is not None:
        lines += [("network", card.net.name), ("working size", str(card.working_size))]
        lines += [("views", str(card.views)), ("light", card.domain)]
    lines += [("figures", gain) for gain in _gains(card)]
    lines += [("data", card.data), ("limits", card.limits), ("licence", card.licence)]
    if card.origin:
        lines.append(("origin", f"{card.origin['project']}, {card.origin['file']}"))
    if card.photographs:
        lines.append(("photographs", f"{len(card.photographs)}; --json lists them"))
    return [(title, text) for title, text in lines if text]


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
