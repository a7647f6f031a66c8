"""Tar shards as WebDataset has them: a shard in, a shard of the same name out, written whole."""

import io
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from semilar.archive.storage import place
from semilar.archive.worker import PhotoRow, PhotoWork, Worker, safe
from semilar.errors import PhotoError
from semilar.photo import RAW_SUFFIXES, known_suffixes


def restore_shard(worker: Worker, item: PhotoRow) -> list[PhotoRow]:
    """Restore the photos of a shard; its other files are copied. A photo that fails is left out."""
    whole = PhotoWork({name: item[name] for name in ("number", "source", "size", "mark")})
    rows: list[PhotoRow] = []
    whole.stage("write", lambda work: _rewrite(worker, item, work, rows))
    if whole.error is None and rows:
        return rows
    return [{"status": "unchanged", **whole.finished()}]  # or failed, as the row says


def _rewrite(worker: Worker, item: PhotoRow, whole: PhotoWork, rows: list[PhotoRow]) -> None:
    """The shard, by way of files: it may be larger than the memory."""
    if item["error"]:
        raise PhotoError(f"{item['source']}: {item['error']}, {item['target']}.")
    source, target = place(item["source"], worker.settings.storage), worker.at(item["target"])
    if source.url == target.url:
        raise PhotoError(f"{target.url}: is the shard itself.")
    with tempfile.TemporaryDirectory(prefix="semilar-shard-") as room:
        out = Path(room, "out.tar")
        try:
            with tarfile.open(source.fetch(Path(room))) as old, tarfile.open(out, "w") as new:
                files = _Files(worker, old, whole)
                for work in worker.pipeline(files.wanted(), files.encode):
                    rows += files.add(new, work)
                files.check_end()
        except (tarfile.TarError, EOFError) as error:
            raise PhotoError(f"{item['source']}: is a damaged tar file ({error}).") from None
        target.send(out)
    for row in rows:
        row["target"] = target.url


class _Files:
    """The files of a shard on their way, in their order: a photo's label stays beside it."""

    def __init__(self, worker: Worker, old: tarfile.TarFile, whole: PhotoWork) -> None:
        self.worker, self.old, self.whole = worker, old, whole
        self.headers: dict[int, tarfile.TarInfo] = {}  # of works that are under way
        self.names: set[str] = set()

    def wanted(self) -> Iterator[Callable[[], PhotoWork]]:
        """Calls that decode one file each."""
        for header in self.old:
            stream = self.old.extractfile(header) if header.isfile() else None
            work = PhotoWork({**self.whole.row, "member": header.name})
            work.content = stream.read() if stream else b""
            work.stage("read", self._name, header)
            self.headers[id(work)] = header
            photo = header.isfile() and _suffix(header.name) in known_suffixes()
            yield partial(self._decode, work) if photo else partial(_same, work)

    def _name(self, work: PhotoWork, header: tarfile.TarInfo) -> None:
        """Under which name it will be, which must be its own and lead nowhere else."""
        name = header.name
        if header.isfile() and _suffix(name) in RAW_SUFFIXES:
            name = str(PurePosixPath(name).with_suffix(".tif"))
        if header.isfile() and safe(name) in self.names:
            raise PhotoError(f"{header.name}: an earlier file has the same place, {name}.")
        self.names.add(name)
        work.row["target"] = name

    def _decode(self, work: PhotoWork) -> PhotoWork:
        work.stage("decode", self.worker.decode)
        work.content = b""
        return work

    def encode(self, work: PhotoWork) -> PhotoWork:
        """Photos back to bytes; others have them still."""
        if work.photo is not None:
            work.stage("encode", self.worker.encode, work.row["target"])
            work.photo = None
        return work

    def add(self, new: tarfile.TarFile, work: PhotoWork) -> list[PhotoRow]:
        """One more file of the new shard, and its row if it has one."""
        header = self.headers.pop(id(work))
        if work.error is not None:
            return [work.finished()]
        photo = "status" in work.row
        if photo:
            written = tarfile.TarInfo(work.row["target"])
            written.mtime, written.mode = header.mtime, header.mode
            written.size, header = len(work.content), written
        new.addfile(header, io.BytesIO(work.content) if header.isfile() else None)
        return [work.finished()] if photo else []

    def check_end(self) -> None:
        """Python takes a damaged header for the end; then something else than zeros is there."""
        assert self.old.fileobj is not None
        self.old.fileobj.seek(self.old.offset)
        if self.old.fileobj.read(tarfile.BLOCKSIZE).strip(b"\0"):
            raise PhotoError(f"{self.whole.row['source']}: is a damaged tar file (bad header).")


def _same(work: PhotoWork) -> PhotoWork:
    return work


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()
