"""What there is to restore: folders, globs, lists and single addresses as streams of rows."""

import os
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset as pds
from fsspec.core import has_magic
from pyarrow.fs import FSSpecHandler, PyFileSystem

from semilar.archive.restoring import TAR
from semilar.archive.storage import Options, Place, patiently, place
from semilar.errors import PhotoError, SettingError
from semilar.photo.formats import RAW_SUFFIXES, known_suffixes
from semilar.restore.naming import MARK

pc: Any = pyarrow.compute  # its functions are made at import time, which no type checker sees
SCHEMA = pa.schema(
    [
        ("source", pa.string()),
        ("target", pa.string()),  # below the folder of results
        ("size", pa.int64()),
        ("mark", pa.string()),  # changes whenever the file does
    ]
)
_ROWS = 50_000  # of one batch
_LISTS = (".parquet", ".csv")
_MARKS = ("ETag", "etag", "mtime", "md5Hash", "md5", "LastModified", "last_modified", "updated")
_ADDRESS = r"^([A-Za-z][A-Za-z0-9+.-]*://|/|[A-Za-z]:[\\/])"
_RAW = rf"(?i)\.({'|'.join(suffix[1:] for suffix in RAW_SUFFIXES)})$"


def listing(
    sources: Iterable[str], *, options: Options | None = None, without: tuple[Place, ...] = ()
) -> pa.RecordBatchReader:
    """Every photo of `sources`, in the order given; what lies below `without` is left out."""
    given = [str(source) for source in sources]
    if not given:
        raise SettingError("There is nothing to read photos from.")
    barred = tuple(f"{one.url.rstrip('/')}/" for one in without)

    found = [_expand(source, options) for source in given]  # what is not there is said at once

    def stream() -> Iterator[pa.RecordBatch]:
        for table in chain.from_iterable(found):
            yield from _finished(table, barred).to_batches()

    return pa.RecordBatchReader.from_batches(SCHEMA, stream())


def _finished(table: pa.Table, barred: tuple[str, ...]) -> pa.Table:
    """Camera files become TIFF; results and the ledger are no sources."""
    target = pc.replace_substring_regex(table["target"], _RAW, ".tif")
    table = table.set_column(1, "target", target)
    for prefix in barred:
        table = table.filter(pc.invert(pc.starts_with(table["source"], prefix)))
    return table.cast(SCHEMA)


def _expand(source: str, options: Options | None) -> Iterator[pa.Table]:
    where = place(source, options)
    suffix = PurePosixPath(where.path).suffix.lower()
    if has_magic(where.path) and not (where.local and os.path.lexists(where.path)):
        return _glob(where)
    info = _info(where)
    if info["type"] == "directory" and not (suffix in _LISTS and _is_dataset(where)):
        return _folder(where)
    if suffix in _LISTS:
        return _list(where, suffix[1:])
    return iter([_table([_row(where, info, PurePosixPath(where.path).name)])])


def _info(where: Place) -> dict[str, Any]:
    try:
        return patiently(lambda: where.fs.info(where.path), where)
    except FileNotFoundError:
        raise PhotoError(f"{where.url}: there is no such file or folder.") from None
    except OSError as error:
        raise PhotoError(f"{where.url}: cannot be read ({error}).") from None


def _is_dataset(where: Place) -> bool:
    """A folder that is a Parquet dataset, as Spark and S3's inventories write them."""
    return any(name.endswith(_LISTS) for name in where.fs.ls(where.path, detail=False))


def _row(where: Place, info: dict[str, Any], target: str) -> tuple[str, str, Any, str | None]:
    mark = next((str(info[name]) for name in _MARKS if info.get(name) is not None), None)
    return where.url, target, info.get("size"), mark


def _table(rows: Iterable[tuple[Any, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [[], [], [], []]
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], SCHEMA)


def _tables(rows: Iterator[tuple[Any, ...]]) -> Iterator[pa.Table]:
    while part := list(islice(rows, _ROWS)):
        yield _table(part)


def _wanted(name: str) -> bool:
    """Photos and shards by their names; hidden ones and results of `semilar remove` are not."""
    path = PurePosixPath(name)
    known = path.suffix.lower() in (*known_suffixes(), TAR)
    return known and not name.startswith(".") and not path.stem.endswith(MARK)


def _folder(root: Place) -> Iterator[pa.Table]:
    """All photos below a folder, folder by folder, so that no list of everything is held."""
    root.fs.invalidate_cache()
    start = root.path.rstrip("/")

    def rows() -> Iterator[tuple[Any, ...]]:
        for folder, folders, names in root.fs.walk(start, detail=True, on_error="raise"):
            for hidden in [name for name in folders if name.startswith(".")]:
                del folders[hidden]
            for name in sorted(filter(_wanted, names)):
                path = f"{folder}/{name}"
                yield _row(Place(root.fs, path), names[name], path[len(start) :].lstrip("/"))

    return _tables(rows())


def _glob(pattern: Place) -> Iterator[pa.Table]:
    """The files that match; their place is below the part of the pattern without wildcards."""
    found = patiently(lambda: pattern.fs.glob(pattern.path, detail=True), pattern)
    if not found:
        raise PhotoError(f"{pattern.url}: there are no photos.")
    fixed = pattern.path[: min(map(pattern.path.find, filter(pattern.path.__contains__, "*?[")))]
    base = fixed.rpartition("/")[0]
    rows = (
        _row(Place(pattern.fs, path), info, path[len(base) :].lstrip("/"))
        for path, info in sorted(found.items())
        if info["type"] == "file" and _wanted(PurePosixPath(path).name)
    )
    return _tables(rows)


def _list(where: Place, kind: str) -> Iterator[pa.Table]:
    """A table with a column `source`; `target`, `size` and `mark` may be there too.

    A relative name is seen from the list's folder. Without `target` the result's place is the
    name, or all of the address but its protocol.
    """
    fs = PyFileSystem(FSSpecHandler(where.fs))
    try:
        table = pds.dataset(where.path, filesystem=fs, format=kind)
    except (OSError, pa.ArrowInvalid) as error:
        raise PhotoError(f"{where.url}: is no list that can be read ({error}).") from None
    names = table.schema.names
    if "source" not in names:
        raise PhotoError(f"{where.url}: has no column source; it has {', '.join(names)}.")
    folder = where.url.rpartition("/")[0]
    columns = [name for name in SCHEMA.names if name in names]
    return (
        _of_list(pa.Table.from_batches([batch]), folder)
        for batch in table.to_batches(columns=columns, batch_size=_ROWS)
        if batch.num_rows
    )


def _of_list(given: pa.Table, folder: str) -> pa.Table:
    source = given["source"].cast(pa.string())
    whole = pc.match_substring_regex(source, _ADDRESS)
    outside = pc.match_substring_regex(source, r"(^|/)\.\.(/|$)")
    full = pc.if_else(whole, source, pc.binary_join_element_wise(folder, source, "/"))
    if "target" in given.column_names:
        target = given["target"].cast(pa.string())
    else:
        named = pc.if_else(pc.and_(outside, pc.invert(whole)), full, source)
        target = pc.replace_substring_regex(named, r"^([A-Za-z][A-Za-z0-9+.-]*:)?[\\/]*", "")
    columns = [full, target]
    for name in ("size", "mark"):
        there = name in given.column_names
        kind = SCHEMA.field(name).type
        columns.append(given[name].cast(kind) if there else pa.nulls(len(given), kind))
    return pa.table(columns, SCHEMA)
