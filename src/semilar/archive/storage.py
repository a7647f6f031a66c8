"""Places in any storage that fsspec knows: read, written whole, tried again where a net fails."""

import json
import os
import random
import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import fsspec
from fsspec.config import conf
from fsspec.implementations.local import LocalFileSystem

from semilar import files
from semilar.errors import SemilarError, SettingError

T = TypeVar("T")
StorageOptions = dict[str, dict[str, Any]]
"""fsspec's settings by protocol: `{"s3": {"endpoint_url": ...}}`."""

# A put under a key becomes visible whole or not at all; other systems get a rename.
_PUTS_WHOLE = {"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "hf", "memory"}
_NO_WRITING = {"http", "https"}
_PAUSES = (0.5, 1, 2, 4, 8, 16)  # seconds before another try
# Another try would end the same way.
_FINAL = (
    *(FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, FileExistsError),
    *(TypeError, ValueError, AttributeError, NotImplementedError, MemoryError, ImportError),
)
_PATIENT = (408, 425, 429)  # of HTTP's errors 4xx: those that ask to come again
_NO_ACCESS = ("NoCredentialsError", "PartialCredentialsError", "ProfileNotFound")  # botocore's
# What brings a protocol that the extra does not.
_PACKAGES = {
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("az", "abfs", "abfss", "adl"), "adlfs"),
    **dict.fromkeys(("sftp", "ssh"), "paramiko"),
    "hf": "huggingface-hub",
}
# botocore's own retries come first; a server that hangs is given up after a minute.
_S3 = {
    "config_kwargs": {
        "connect_timeout": 10,
        "read_timeout": 60,
        "retries": {"mode": "standard", "max_attempts": 4},
    }
}


@dataclass(frozen=True)
class Place:
    """A file or folder: its file system and the path in it."""

    fs: Any
    path: str

    @property
    def local(self) -> bool:
        """Whether it lies on this computer's disks."""
        return isinstance(self.fs, LocalFileSystem)

    @property
    def url(self) -> str:
        """How it is written down: a plain absolute path, or an address with its protocol."""
        return self.path if self.local else self.fs.unstrip_protocol(self.path)

    def under(self, name: str) -> "Place":
        """A place below this one."""
        return Place(self.fs, f"{self.path.rstrip('/')}/{name}")

    def exists(self) -> bool:
        """Whether something is there now."""
        self.fs.invalidate_cache()
        return patiently(lambda: self.fs.exists(self.path), self)

    def read(self) -> bytes:
        """All of a file."""
        return patiently(lambda: self.fs.cat_file(self.path), self)

    def names(self) -> list[str]:
        """The paths of what lies in a folder now."""
        self.fs.invalidate_cache()
        return sorted(patiently(lambda: self.fs.ls(self.path, detail=False), self))

    def write(self, content: bytes) -> None:
        """Write a file whole or not at all; what was there is replaced."""
        if self.local:
            files.write_bytes(Path(self.path), content)
        else:
            self._put(lambda path: self.fs.pipe_file(path, content))

    def fetch(self, room: Path) -> Path:
        """A file on this computer's disks: this one, or a copy of it in the folder `room`."""
        if self.local:
            return Path(self.path)
        copy = room / "fetched"
        patiently(lambda: self.fs.get_file(self.path, str(copy)), self)
        return copy

    def send(self, file: Path) -> None:
        """Write the content of a file of this computer, whole or not at all."""
        if self.local:
            with files.atomic_path(Path(self.path), keep_suffix=False) as temporary:
                shutil.copyfile(file, temporary)
        else:
            self._put(lambda path: self.fs.put_file(str(file), path))

    def _put(self, put: Callable[[str], Any]) -> None:
        try:
            patiently(lambda: self._put_once(put), self)
        except FileNotFoundError as error:  # no such bucket
            raise _error(self, "cannot be written", error) from error

    def _put_once(self, put: Callable[[str], Any]) -> None:
        if _protocol(self.fs) in _PUTS_WHOLE:
            put(self.path)
            return
        folder, _, name = self.path.rpartition("/")
        temporary = f"{folder}/.{name}.{secrets.token_hex(4)}.part"
        self.fs.makedirs(folder, exist_ok=True)
        try:
            put(temporary)
            self.fs.mv(temporary, self.path)
        except BaseException:
            if self.fs.exists(temporary):
                self.fs.rm_file(temporary)
            raise


def place(url: str | Path, options: StorageOptions | None = None) -> Place:
    """Where `url` points: a path on this computer or an address (`s3://bucket/folder`)."""
    text = str(url)
    protocol = text.partition("://")[0] if "://" in text else "file"
    if protocol == "file":
        text = os.path.abspath(text.removeprefix("file://"))  # noqa: PTH100 (takes `..` out)
    try:
        fs = _file_system(protocol, json.dumps((options or {}).get(protocol, {}), sort_keys=True))
        return Place(fs, fs._strip_protocol(text))
    except ImportError as error:
        package = _PACKAGES.get(protocol)
        way = f"pip install {package}" if package else str(error)
        raise SettingError(f"{text}: {protocol}:// needs one more package: {way}") from None
    except ValueError as error:
        raise SettingError(f"{text}: is no address that can be read ({error}).") from None


def check_writable(target: Place) -> None:
    """Results cannot be sent to a plain web server."""
    if _protocol(target.fs) in _NO_WRITING:
        raise SettingError(f"{target.url}: a web address can be read, not written to.")


def patiently(call: Callable[[], T], where: Place) -> T:
    """`call`, again after a pause where a server or the way to it fails.

    What is not there is a `FileNotFoundError`; every other end is one of this package's errors.
    """
    if where.local:
        return call()
    for pause in (*_PAUSES, None):
        try:
            return call()
        except PermissionError as error:
            raise _error(where, "access is refused", error) from error
        except _FINAL:
            raise
        except Exception as error:  # every storage throws its own kinds at a lost connection
            if _refused(error):
                raise _error(where, "access is refused", error) from error
            if pause is None:
                raise _error(where, "the storage does not do it", error) from error
        time.sleep(pause * random.uniform(0.5, 1.5))
    raise AssertionError  # the last try returns or raises


def _error(where: Place, what: str, error: Exception) -> SemilarError:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return SemilarError(f"{where.url}: {what} ({lines[0].removesuffix('.')}).")


def _refused(error: Exception) -> bool:
    """Whether a server has said no, for good, or would not know who asks."""
    status = getattr(error, "status", None) or getattr(error, "code", None)
    said = isinstance(status, int) and 400 <= status < 500 and status not in _PATIENT
    return said or type(error).__name__ in _NO_ACCESS


def _protocol(fs: Any) -> str:
    return fs.protocol if isinstance(fs.protocol, str) else fs.protocol[0]


@lru_cache(maxsize=32)
def _file_system(protocol: str, options: str) -> Any:
    given = json.loads(options)
    if protocol in ("s3", "s3a"):
        given = {**_S3, **conf.get(protocol, {}), **given}
    return fsspec.filesystem(protocol, **given)
