"""Restoring a whole test set with a model, so that a stopped run goes on where it was."""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from semilar import __version__
from semilar.errors import OutputExistsError
from semilar.evaluate.pairing import Series
from semilar.files import write_text
from semilar.photo import Photo, read, to_depth, write
from semilar.processes import in_processes

NONE = "none"  # the model that leaves the picture as it is


def claim_folder(
    out: Path, *, model: str, engine: str | None, force: bool, raw: bool = False
) -> None:
    """Write down whose results `out` holds; another model's results there are an error."""
    note = out / "model.json"
    own = {"model": model, "sha256": _model_sha256(model), "engine": engine, "version": __version__}
    own |= {"raw": True} if raw else {}
    if note.exists() and not force:
        try:
            other = json.loads(note.read_text(encoding="utf-8"))
        except ValueError:
            other = {"model": "an unknown model"}
        if other != own:
            raise OutputExistsError(
                f"{out}: holds results of {other.get('model')!r} ({other.get('version')}), not of "
                f"this {model!r}."
            )
    write_text(note, json.dumps(own, indent=1))


def restore_pictures(
    pictures: list[Series],
    out: Path,
    *,
    model: str,
    engine: str | None,
    jobs: int,
    force: bool,
    raw: bool = False,
    progress: Callable[[], None] = lambda: None,
) -> list[Series]:
    """Restore the untouched pictures to PNG files below `out`, except those that are there.

    As people use it, or `raw`: the network alone, once, at the picture's own size.

    Gives the pictures with the role "result" added, ready to be evaluated. The model `none` writes
    nothing: its results are the untouched pictures themselves.
    """
    if model == NONE:
        return [_as_result(picture) for picture in pictures]
    targets = [out / f"{picture.name}.png" for picture in pictures]
    tasks = [
        (picture.files["untouched"], target, model, engine, 1 if jobs > 1 else None, raw)
        for picture, target in zip(pictures, targets, strict=True)
        if force or not target.exists()
    ]
    for _ in range(len(pictures) - len(tasks)):
        progress()
    for _ in in_processes(_restore_one, tasks, jobs=jobs):
        progress()
    return [
        Series(picture.name, {**picture.files, "result": target})
        for picture, target in zip(pictures, targets, strict=True)
    ]


def _as_result(picture: Series) -> Series:
    files = dict(picture.files)
    return Series(picture.name, {"result": files.pop("untouched"), **files})


def _restore_one(task: tuple[Path, Path, str, str | None, int | None, bool]) -> None:
    source, target, model, engine, threads, raw = task
    if raw:
        scene = _remover(model, engine, threads, 1).raw(to_depth(read(source).pixels, 8))
        write(Photo(pixels=scene, name=str(source)), target, force=True)
        return
    from semilar.restore import ToFiles, pipe, with_remover

    plain = (Photo(pixels=photo.pixels, name=str(source)) for photo in [read(source)])
    pipe(plain, with_remover(_remover(model, engine, threads)), ToFiles(scene=target, force=True))


@lru_cache(maxsize=1)
def _remover(model: str, engine: str | None, threads: int | None, views: int | None = None) -> Any:
    from semilar.restore import Remover

    options = {"engine": engine, "threads": threads, "views": views}
    return Remover(model=model, **{k: v for k, v in options.items() if v is not None})


def _model_sha256(model: str) -> str:
    """The checksum of the model's weights, so that a retrained model is told from the old one."""
    if model == NONE:
        return ""
    from semilar.restore import find_model

    return find_model(model).fingerprint()
