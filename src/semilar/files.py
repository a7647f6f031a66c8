"""Files written whole or not at all: a temporary name beside the target, fsync, rename."""

import contextlib
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

from semilar.errors import OutputExistsError

_LEFTOVER = re.compile(r"\..*\.[0-9a-f]{8}\.part(\.[^.]*)?")  # as `atomic_path` names them


@contextlib.contextmanager
def atomic_path(target: Path, *, force: bool = True, keep_suffix: bool = True) -> Iterator[Path]:
    """Give a temporary path to write to; on success it becomes `target` in one step.

    The temporary file lies in the target's folder (a rename across disks is a copy) and keeps the
    target's suffix if libraries are to choose a format by it. On any error, Ctrl-C included, it is
    removed and `target` is as before. Without `force` an existing target is an error, checked again
    at the end in the same step that publishes the file, so that two writers cannot both win.
    """
    target = Path(target)
    if not force and target.exists():
        raise _exists(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    suffix = target.suffix if keep_suffix else ""
    temporary = target.with_name(f".{target.stem}.{secrets.token_hex(4)}.part{suffix}")
    try:
        yield temporary
        _flush(temporary)
        if force:
            temporary.replace(target)
        else:
            _publish_new(temporary, target)
        _flush(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> None:
    """Delete what killed writers left in `folder`; nobody may be writing there now."""
    for path in folder.glob(".*.part*"):
        if _LEFTOVER.fullmatch(path.name):
            path.unlink(missing_ok=True)


def write_bytes(target: Path, content: bytes, *, force: bool = True) -> None:
    """Write `content` to `target`, whole or not at all."""
    # Readers of `*.parquet` and the like must not find a half-written one.
    with atomic_path(target, force=force, keep_suffix=False) as temporary:
        temporary.write_bytes(content)


def write_text(target: Path, content: str, *, force: bool = True) -> None:
    """Write `content` to `target` as UTF-8, whole or not at all."""
    write_bytes(target, content.encode(), force=force)


def _exists(target: Path) -> OutputExistsError:
    return OutputExistsError(f"{target}: already exists.")


def _publish_new(temporary: Path, target: Path) -> None:
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise _exists(target) from None
    except OSError:  # a file system without hard links: the check above has to do
        temporary.replace(target)


def _flush(path: Path) -> None:
    """Ask the disk to keep `path` (a file or a folder) before going on."""
    try:  # Windows flushes only what is open for writing
        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    except PermissionError:  # Windows does not open folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
