"""Tar shards as WebDataset has them: a shard in, a shard of the same name out, written whole."""

import io
import tarfile
from pathlib import PurePosixPath
from typing import Any

from semilar.archive.storage import place
from semilar.archive.worker import Row, Work, Worker
from semilar.errors import PhotoError
from semilar.photo.formats import RAW_SUFFIXES, known_suffixes


def restore_shard(worker: Worker, item: Row) -> list[Row]:
    """Restore the photos of a shard; its other files are copied. A photo that fails is left out."""
    whole = Work({name: item[name] for name in ("number", "source", "size", "mark")})
    rows: list[Row] = []
    whole.stage("write", lambda work: _rewrite(worker, item, work, rows))
    if whole.error is None and rows:
        return rows
    return [{"status": "unchanged", **whole.finished()}]  # or failed, as the row says


def _rewrite(worker: Worker, item: Row, whole: Work, rows: list[Row]) -> None:
    content = io.BytesIO(place(item["source"], worker.settings.storage).read())
    target = worker.at(item["target"])
    out = io.BytesIO()
    try:
        with tarfile.open(fileobj=content) as old, tarfile.open(fileobj=out, mode="w") as new:
            for member in old:
                _copy(worker, old, new, member, whole, rows)
    except tarfile.TarError as error:
        raise PhotoError(f"{item['source']}: is a damaged tar file ({error}).") from None
    target.write(out.getvalue())
    for row in rows:
        row["target"] = target.url


def _copy(
    worker: Worker, old: Any, new: Any, member: tarfile.TarInfo, whole: Work, rows: list[Row]
) -> None:
    """One file of the shard."""
    stream = old.extractfile(member) if member.isfile() else None
    path = PurePosixPath(member.name)
    if stream is None:
        new.addfile(member)
        return
    if path.suffix.lower() not in known_suffixes():
        new.addfile(member, stream)
        return
    work = Work({**whole.row, "member": member.name}, content=stream.read())
    name = member.name
    if path.suffix.lower() in RAW_SUFFIXES:
        name = str(path.with_suffix(".tif"))
    work.stage("decode", worker.decode)
    work.stage("restore", worker.restore)
    work.stage("encode", worker.encode, name)
    rows.append(work.finished())
    if work.error is None:
        written = tarfile.TarInfo(name)
        written.mtime, written.mode, written.size = member.mtime, member.mode, len(work.content)
        new.addfile(written, io.BytesIO(work.content))
