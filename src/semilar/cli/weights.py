"""`semilar weights`: what there is, where it is, and how to get it."""

from pathlib import Path
from typing import Annotated

import typer

from semilar.cli.console import command, out, print_json, progress, say
from semilar.cli.options import AsJson
from semilar.cli.verbs import Group, Verb

app = typer.Typer(
    cls=Group,
    help="List, fetch and import weights.\n\n"
    "Weights are kept in the folder $SEMILAR_HOME (else the user's cache folder). "
    "Nothing is downloaded unless you say `fetch`.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

_Name = Annotated[str, typer.Argument(help="The name in `semilar weights list`.")]


@app.command("list", cls=Verb)
@command
def list_weights(
    as_json: AsJson = False,
) -> None:
    """List all weights, whether they are here, and where they come from.

    Example: semilar weights list --json
    """
    from rich.table import Table

    from semilar.weights import entries, home

    rows = [_facts(entry) for entry in entries().values()]
    if as_json:
        print_json({"home": str(home()), "weights": rows})
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("name", "here", "MB", "purpose and licence"):
        table.add_column(column, justify="right" if column == "MB" else "left", overflow="fold")
    for row in rows:
        here = "bundled" if row["bundled"] else "yes" if row["path"] else "no"
        size = f"{row['size'] / 1e6:.2f}"
        about = f"{row['purpose']}\n[dim]{row['licence']}; {row['source']}"
        table.add_row(row["name"], here, size, about)
    out.print(table)
    say(f"Fetched weights are kept in {home()}")


@app.command(cls=Verb)
@command
def fetch(
    name: _Name,
    force: Annotated[bool, typer.Option("--force", help="Fetch again even if it is here.")] = False,
) -> None:
    """Download weights into the cache folder, verify their checksum and convert them.

    Example: semilar weights fetch vgg16
    """
    from rich.progress import DownloadColumn, TransferSpeedColumn

    from semilar import weights
    from semilar.weights import entry

    size = entry(name).size
    with progress(total_known=False) as bar:
        bar.columns = (*bar.columns, DownloadColumn(), TransferSpeedColumn())
        task = bar.add_task(f"Fetching {name}", total=size)
        path = weights.fetch(name, force=force, progress=lambda n: bar.update(task, advance=n))
    out.print(str(path), markup=False)


@app.command(cls=Verb)
@command
def path(name: _Name) -> None:
    """Print the file that holds the weights; status 2 and an error if they are missing.

    Example: semilar weights path alexnet
    """
    from semilar.weights import locate

    out.print(str(locate(name)), markup=False)


@app.command("import", cls=Verb)
@command
def import_weights(
    name: _Name,
    file: Annotated[Path, typer.Argument(help="The file you have: .tar.gz, .pth or .safetensors.")],
) -> None:
    """Take weights from a file: for computers without a network, or for torchvision's own files.

    Example: semilar weights import vgg16 ~/Downloads/vgg16-397923af.pth
    """
    from semilar import weights
    from semilar.weights import is_published

    path = weights.import_file(name, file)
    if not is_published(name, file):
        say(f"{file}: names and shapes fit, but this is not the published file the manifest pins.")
    out.print(str(path), markup=False)


def _facts(entry) -> dict:
    from semilar.weights import WeightsMissingError, locate

    try:
        place = str(locate(entry.name))
    except WeightsMissingError:
        place = None
    return {
        "name": entry.name,
        "path": place,
        "bundled": entry.origin == "bundled",
        "purpose": entry.purpose,
        "licence": entry.licence,
        "source": entry.source,
        "sha256": entry.sha256,
        "size": entry.size,
    }
