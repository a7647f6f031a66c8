"""Photos, a model and what an independent run of `semilar remove` makes of them."""

import hashlib
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from PIL import Image

from tests.support.command import semilar
from tests.support.pictures import smooth_picture


def make_photos(folder: Path, count: int) -> Path:
    """`count` small photos in three folders: JPEG, PNG, and a TIFF now and then."""
    for i in range(count):
        suffix = ("jpg", "png", "jpg", "tif")[i % 4]
        path = folder / f"day{i % 3}" / f"{i:05}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(smooth_picture(32, 40, seed=i)).save(path)
    return folder


def removed(source: Path, target: Path, model: Path) -> dict[str, str]:
    """What `semilar remove` makes of a folder."""
    done = semilar("remove", "-q", source, "-o", target, "--model", model)
    assert done.returncode in (0, 1), done.stderr
    return hashes(target)


def hashes(folder: Path) -> dict[str, str]:
    """Every file below `folder` by its name, hidden ones too, without the manifest and the page."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
        and path.name != "semilar-summary.html"
        and "manifest.parquet" not in path.parts
    }


def rows(manifest: Path) -> list[dict[str, Any]]:
    """The manifest as any reader of Parquet sees it."""
    return pq.read_table(manifest).to_pylist()
