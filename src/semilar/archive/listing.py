"""What there is to restore: folders, globs, lists and single addresses as streams of rows."""

import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.compute
import pyarrow.dataset as pds
from fsspec.core import has_magic
from pyarrow.csv import ConvertOptions
from pyarrow.fs import FSSpecHandler, PyFileSystem

from semilar.archive.restoring import TAR
from semilar.archive.storage import Place, StorageOptions, patiently, place
from semilar.errors import PhotoError, SettingError
from semilar.photo import RAW_SUFFIXES, known_suffixes
from semilar.restore import MARK

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
_MARKS = (
    "ETag",
    "etag",
    "blob_id",
    "mtime",
    "md5Hash",
    "md5",
    "LastModified",
    "last_modified",
    "updated",
)
_ADDRESS = r"^([A-Za-z][A-Za-z0-9+.-]*://|/|[A-Za-z]:[\\/])"
_DOTS = r"(^|[^:/]/|^/)(/|\.{1,2}(/|$))"  # parts of a path that are none: "//", ".", ".."
_RAW = rf"(?i)\.({'|'.join(suffix[1:] for suffix in RAW_SUFFIXES)})$"


def listing(
    sources: Iterable[str],
    *,
    options: StorageOptions | None = None,
    without: tuple[Place, ...] = (),
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


def _expand(source: str, options: StorageOptions | None) -> Iterator[pa.Table]:
    where = place(source, options)
    suffix = PurePosixPath(where.path).suffix.lower()
    web = source.startswith(("http://", "https://"))  # there a question mark begins a query
    magic = has_magic(where.path.partition("?")[0] if web else where.path)
    if magic and not (where.local and os.path.lexists(where.path)):
        return _glob(where)
    if web and where.path.endswith("/"):  # a page of links
        return _folder(where)
    info = _info(where)
    if info["type"] == "directory" and not (suffix in _LISTS and _is_dataset(where)):
        return _folder(where)
    if suffix in _LISTS:
        return _list(where, suffix[1:])
    name = _of_web(where.path) if web else where.path
    return iter([_table([_row(where, info, PurePosixPath(name).name)])])


def _of_web(address: str) -> str:
    """A web address without its query, if a photo's name is left."""
    name = re.split(r"[?#]", address)[0]
    return name if _wanted(PurePosixPath(name).name) else address


def _info(where: Place) -> dict[str, Any]:
    try:
        return patiently(lambda: where.fs.info(where.path), where)
    except FileNotFoundError:
        raise PhotoError(f"{where.url}: there is no such file or folder.") from None
    except OSError as error:
        raise PhotoError(f"{where.url}: cannot be read ({error.strerror or error}).") from None


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
    """All photos below a folder, as they are found, so that no list of everything is held."""
    root.fs.invalidate_cache()
    start = root.path.rstrip("/")

    def rows() -> Iterator[tuple[Any, ...]]:
        for path, info in _keys(root) if hasattr(root.fs, "call_s3") else _walk(root, start):
            below = path[len(start) :].lstrip("/")
            *folders, name = below.split("/")
            if _wanted(name) and not any(one.startswith(".") for one in folders):
                yield _row(Place(root.fs, path), info, below)

    return _tables(rows())


def _walk(root: Place, start: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The files below a folder, folder by folder; hidden ones and links are not entered."""
    waiting = [start]
    while waiting:
        folder = Place(root.fs, waiting.pop())
        found = patiently(partial(root.fs.ls, f"{folder.path}/", detail=True), folder)
        below = [one for one in found if one["type"] == "directory"]
        names = sorted((one["name"].rstrip("/") for one in below), reverse=True)
        own = folder.path.rstrip("/")  # S3 and others have a key for the folder itself
        waiting += [
            one for one in names if one != own and not one.rpartition("/")[2].startswith(".")
        ]
        files = [one for one in found if one["type"] != "directory"]  # links are "other"
        yield from sorted((one["name"], one) for one in files)
        root.fs.invalidate_cache()  # keeps every folder that was listed


def _keys(root: Place) -> Iterator[tuple[str, dict[str, Any]]]:
    """All keys of S3 below a folder, a thousand at a time: a folder may hold millions."""
    bucket, key, _ = root.fs.split_path(root.path)
    prefix = f"{key.rstrip('/')}/" if key else ""
    more: dict[str, Any] = {}
    while True:
        call = partial(root.fs.call_s3, "list_objects_v2", Bucket=bucket, Prefix=prefix, **more)
        page = patiently(call, root)
        for one in page.get("Contents", []):
            if not one["Key"].endswith("/"):
                yield f"{bucket}/{one['Key']}", {**one, "size": one["Size"]}
        if not page.get("IsTruncated"):
            return
        more = {"ContinuationToken": page["NextContinuationToken"]}


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
    text = {"source": pa.string(), "target": pa.string(), "mark": pa.string(), "size": pa.int64()}
    as_text = pds.CsvFileFormat(convert_options=ConvertOptions(column_types=text))
    try:
        table = pds.dataset(where.path, filesystem=fs, format=as_text if kind == "csv" else kind)
    except (OSError, pa.ArrowInvalid) as error:
        raise PhotoError(f"{where.url}: is no list that can be read ({error}).") from None
    names = table.schema.names
    if "source" not in names:
        raise PhotoError(f"{where.url}: has no column source; it has {', '.join(names)}.")
    folder = where.url.rpartition("/")[0]
    columns = [name for name in SCHEMA.names if name in names]
    return (
        _of_list(pa.Table.from_batches([batch]), folder, where.url)
        for batch in table.to_batches(columns=columns, batch_size=_ROWS)
        if batch.num_rows
    )


def _of_list(given: pa.Table, folder: str, name: str) -> pa.Table:
    source = given["source"].cast(pa.string())
    if pc.any(pc.fill_null(pc.equal(pc.utf8_trim_whitespace(source), ""), True)).as_py():
        raise PhotoError(f"{name}: has a row without a source.")
    whole = pc.match_substring_regex(source, _ADDRESS)
    full = _each(
        pc.if_else(whole, source, pc.binary_join_element_wise(folder, source, "/")), _DOTS, _plain
    )
    if "target" in given.column_names:
        target = given["target"].cast(pa.string())
    else:
        beside = pc.and_(pc.invert(whole), pc.invert(pc.match_substring_regex(source, _DOTS)))
        target = _each(pc.if_else(beside, source, full), r"^https?://", _of_web)
        target = pc.replace_substring_regex(target, r"^([A-Za-z][A-Za-z0-9+.-]*:)?[\\/]*", "")
    columns = [full, target]
    for column in ("size", "mark"):
        there = column in given.column_names
        kind = SCHEMA.field(column).type
        columns.append(given[column].cast(kind) if there else pa.nulls(len(given), kind))
    return pa.table(columns, SCHEMA)


def _each(texts: Any, pattern: str, change: Callable[[str], str]) -> Any:
    """`texts` with `change` made to those that match, which are few."""
    chosen = pc.match_substring_regex(texts, pattern)
    if not pc.any(chosen).as_py():
        return texts
    changed = [change(one) for one in texts.filter(chosen).to_pylist()]
    return pc.replace_with_mask(
        texts.combine_chunks(), chosen.combine_chunks(), pa.array(changed, pa.string())
    )


def _plain(address: str) -> str:
    """`a/../b/./c` as `b/c`: one photo has one name."""
    protocol, sign, path = address.rpartition("://")
    if protocol in ("http", "https"):
        return address
    return f"{protocol}{sign}{posixpath.normpath(path)}"
