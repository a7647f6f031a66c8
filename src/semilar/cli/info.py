"""`semilar info`: what a photograph's file holds."""

from pathlib import Path
from typing import Annotated, Any

import typer

from semilar.cli.console import Exit, command, complain, out, print_json, say
from semilar.cli.options import AsJson
from semilar.errors import SemilarError


@command
def info(
    photos: Annotated[list[Path], typer.Argument(help="Photographs.", show_default=False)],
    json: AsJson = False,
) -> None:
    """Say what a photograph's file holds: size, depth, format, metadata.

    Example: semilar info street.jpg

    Example: semilar info --json *.jpg > photos.json
    """
    rows = []
    for path in photos:
        try:
            rows.append(_describe(path))
        except SemilarError as error:
            complain(str(error))
    if json:
        print_json(rows)
    else:
        for row in rows:
            out.print(_line(row), markup=False)
    if len(rows) < len(photos):
        raise typer.Exit(Exit.SOME_FAILED if rows else Exit.UNUSABLE)


def _describe(path: Path) -> dict[str, Any]:
    from semilar import photo

    shot = photo.read(path, first_frame=True)
    for note in shot.notes:
        say(note)
    data = shot.metadata
    return {
        "file": str(path),
        "format": shot.format,
        "width": shot.size[1],
        "height": shot.size[0],
        "bits": shot.depth,
        "grey": shot.grey,
        "alpha": shot.alpha is not None,
        "icc_bytes": len(data.icc or b""),
        "exif_bytes": len(data.exif or b""),
        "dpi": data.dpi,
    }


def _line(row: dict[str, Any]) -> str:
    parts = [f"{row['format']} {row['width']} x {row['height']}, {row['bits']} bit"]
    parts += [word for word in ("grey", "alpha") if row[word]]
    parts += [word for word in ("icc", "exif") if row[f"{word}_bytes"]]
    if row["dpi"]:
        parts.append(f"{row['dpi'][0]:.0f} dpi")
    return f"{row['file']}: {', '.join(parts)}"
