"""`semilar score`: how good photographs look to a no-reference scorer."""

from pathlib import Path
from typing import Annotated, Any

import typer

from semilar.cli.console import Exit, command, complain, out, print_json, progress, say
from semilar.cli.options import AsJson


@command
def score(
    photos: Annotated[
        list[Path], typer.Argument(help="Photographs, or folders of them.", show_default=False)
    ],
    scorer: Annotated[
        str,
        typer.Option(help="flare-score (dB, made for flare), niqe, musiq (its weights: fetched)."),
    ] = "flare-score",
    as_json: AsJson = False,
) -> None:
    """Score photographs without a reference; higher is better.

    Scores compare versions of one photograph, such as two restorations. Between different scenes
    they say little.

    Examples: semilar score street.jpg street-clean.jpg | semilar score results/ --json
    """
    from semilar.errors import SemilarError
    from semilar.extras import load_extra

    load_extra("torch", "train")
    from semilar.quality import scorers

    files = _files(photos)
    chosen = scorers.scorer(scorer)
    rows: list[dict[str, Any]] = []
    with progress() as bar:
        for file in bar.track(files, description="Scoring"):
            try:
                rows.append({"photo": str(file), "score": _score(file, chosen)})
            except SemilarError as error:
                complain(str(error))
                rows.append({"photo": str(file), "error": str(error)})
    _print(rows, chosen, as_json)
    failed = sum("error" in row for row in rows)
    if failed:
        raise typer.Exit(Exit.UNUSABLE if failed == len(rows) else Exit.SOME_FAILED)


def _files(photos: list[Path]) -> list[Path]:
    from semilar.errors import SemilarError
    from semilar.photo import find_photos

    files = [f for path in photos for f in (find_photos(path) if path.is_dir() else [path])]
    if not files:
        raise SemilarError(f"{photos[0]}: there are no photographs in this folder.")
    return files


def _score(file: Path, chosen: Any) -> float:
    import numpy as np
    import torch

    from semilar import photo
    from semilar.errors import SemilarError

    pixels = photo.read(file).pixels
    encoded = np.clip(pixels / np.float32(photo.white(pixels.dtype)), 0, 1).astype(np.float32)
    picture = torch.from_numpy(encoded).permute(2, 0, 1)
    try:
        return chosen(picture[None]).item()
    except SemilarError as error:  # the scorer does not know the file's name
        raise SemilarError(f"{file}: {error}") from None


def _print(rows: list[dict[str, Any]], chosen: Any, as_json: bool) -> None:
    if as_json:
        low, high = chosen.scale
        facts = {"scorer": chosen.name, "scale": [low, high], "delta": chosen.delta}
        print_json(facts | {"photos": rows})
        return
    for row in rows:
        if "score" in row:
            out.print(f"{row['score']:8.3f}  {row['photo']}", markup=False)
    say(f"{chosen.name}: higher is better; differences under {chosen.delta:g} say nothing.")
