"""`semilar repository`: look into the pseudo labels of a training run."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from semilar.cli.console import command, out, print_json, progress, say
from semilar.cli.options import AsJson, Force
from semilar.cli.verbs import Group, Verb
from semilar.errors import SemilarError

app = typer.Typer(
    cls=Group,
    help="Look into the pseudo labels of a run: PATH is its folder or its repository.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

_Path = Annotated[Path, typer.Argument(help="A run folder, or the repository inside it.")]
_Photos = Annotated[
    Path | None, typer.Option("--photos", help="The folder of the unlabeled photos.")
]


def _open(path: Path) -> Any:
    from semilar.extras import load_extra

    load_extra("torch", "train")
    from semilar.semi import MergedRepository

    if not path.exists():
        raise SemilarError(f"{path}: no such folder.")
    return MergedRepository(path)


@app.command("stats", cls=Verb)
@command
def stats_command(
    path: _Path,
    as_json: AsJson = False,
) -> None:
    """Coverage, scores over time, and why candidates were rejected.

    Example: semilar repository stats runs/own-photos
    """
    repository = _open(path)
    from semilar.semi import stats

    found = stats(repository)
    if as_json:
        print_json({**asdict(found), "coverage": found.coverage})
        return
    out.print(f"{found.filled} of {found.photos} photos have a pseudo label ({found.coverage:.0%})")
    counts = ", ".join(f"{count} {name}" for name, count in found.outcomes.items())
    out.print(f"candidates: {counts}")
    largest = max((count for *_, count in found.histogram), default=0)
    for low, high, count in found.histogram:
        out.print(f"  score {low:8.3f} to {high:8.3f}  {'█' * round(30 * count / largest)} {count}")
    for period in found.periods:
        counts = ", ".join(f"{count} {name}" for name, count in period.outcomes.items())
        scores = "" if period.quartiles is None else "; scores of accepted ones, quartiles: "
        scores += " ".join(f"{q:.3f}" for q in period.quartiles or [])
        out.print(f"steps {period.first_step} to {period.last_step}: {counts}{scores}")


@app.command(cls=Verb)
@command
def show(
    path: _Path,
    photo: Annotated[str, typer.Argument(help="A photo: its path, file name or key.")],
    as_json: AsJson = False,
) -> None:
    """What is kept about one photo, and everything that was offered for it.

    Example: semilar repository show runs/own-photos IMG_0017.jpg
    """
    repository = _open(path)
    from semilar.semi import find_entry

    entry = find_entry(repository, photo)
    history = [asdict(event) for event in repository.events(entry.key)]
    facts = {"key": entry.key, "score": entry.score, "step": entry.step, "offered": entry.offered}
    if as_json:
        print_json({**facts, "history": history})
        return
    for name, value in facts.items():
        out.print(f"{name}: {value}", markup=False)
    for event in history:
        score = "" if event["score"] is None else f", score {event['score']:.4f}"
        out.print(f"  step {event['step']}: {event['outcome']}{score}")


@app.command(cls=Verb)
@command
def export(
    path: _Path,
    folder: Annotated[Path, typer.Argument(help="Where the pictures go.")],
    photos: _Photos = None,
    force: Force = False,
) -> None:
    """Write pseudo labels as PNG; with --photos as pairs, `input` and `gt`, ready to train on.

    Example: semilar repository export runs/own-photos out/pairs --photos ~/Flared
    """
    repository = _open(path)
    from semilar.semi import frame_of, to_picture

    written = 0
    with progress() as bar:
        for key in bar.track(repository.photo_keys(), description="exporting"):
            entry = repository.entry(key)
            if entry is None or entry.label is None:
                continue
            name = Path(entry.path).with_suffix(".png")
            _save(to_picture(entry.label), folder / "gt" / name, force)
            frame = frame_of(entry, photos)
            if frame is not None:
                _save(frame, folder / "input" / name, force)
            written += 1
    if not written:
        raise SemilarError(f"{path}: no photo has a pseudo label yet.")
    say(f"{written} pseudo labels written to {folder}")


@app.command(cls=Verb)
@command
def report(
    path: _Path,
    file: Annotated[Path, typer.Argument(help="The HTML file to write.")],
    photos: _Photos = None,
    limit: Annotated[int, typer.Option(help="At most so many photos.", min=1)] = 200,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
) -> None:
    """Write a page with photo, pseudo label and history of each photo.

    Example: semilar repository report runs/own-photos report.html --photos ~/Flared
    """
    repository = _open(path)
    from semilar.files import write_text
    from semilar.semi import page

    write_text(file, page(repository, photos, limit=limit), force=force)
    say(f"Written: {file}")


def _save(picture: Any, target: Path, force: bool) -> None:
    from semilar.files import atomic_path

    with atomic_path(target, force=force) as temporary:
        picture.save(temporary, "PNG")
