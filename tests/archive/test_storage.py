"""Storage that fails: asked again where that can help, at once an error where it cannot."""

from typing import Any

import pytest

from semilar.archive import storage
from semilar.archive.storage import Place, place
from semilar.errors import SemilarError, SettingError


class Failing:
    """A file system whose reads fail some times before they work."""

    protocol = "s3"

    def unstrip_protocol(self, path: str) -> str:
        return f"s3://{path}"

    def __init__(self, error: Exception, times: int) -> None:
        self.error, self.times, self.calls = error, times, 0

    def cat_file(self, path: str) -> bytes:
        self.calls += 1
        if self.calls <= self.times:
            raise self.error
        return path.encode()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, without making them."""
    made: list[float] = []
    monkeypatch.setattr(storage.time, "sleep", made.append)
    return made


@pytest.mark.parametrize("error", [TimeoutError(), ConnectionError(), OSError(5, "500")])
def test_a_fault_is_tried_again_with_growing_pauses(error: Any, pauses: list[float]) -> None:
    fs = Failing(error, 5)
    assert Place(fs, "bucket/a").read() == b"bucket/a"
    assert (fs.calls, len(pauses)) == (6, 5)
    assert pauses[-1] > 4 * pauses[0]


def test_patience_ends(pauses: list[float]) -> None:
    fs = Failing(TimeoutError("gone"), 100)
    with pytest.raises(SemilarError, match=r"s3://bucket/a: the storage does not do it \(gone\)"):
        Place(fs, "bucket/a").read()
    assert fs.calls == len(pauses) + 1 < 10


class RefusedError(Exception):  # as aiohttp's and gcsfs's
    """An answer of a web server."""

    def __init__(self, status: int) -> None:
        super().__init__(f"{status}, sorry")
        self.status = status


def test_a_busy_web_server_is_asked_again(pauses: list[float]) -> None:
    assert Place(Failing(RefusedError(429), 2), "bucket/a").read() == b"bucket/a"
    assert len(pauses) == 2


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (FileNotFoundError("a"), FileNotFoundError),
        (PermissionError("a"), SemilarError),
        (RefusedError(403), SemilarError),
        (RefusedError(410), SemilarError),
    ],
)
def test_what_cannot_help_is_not_tried(error: Any, raised: Any, pauses: list[float]) -> None:
    fs = Failing(error, 1)
    with pytest.raises(raised):
        Place(fs, "bucket/a").read()
    assert (fs.calls, pauses) == (1, [])


@pytest.mark.parametrize(
    ("address", "said"),
    [("gs://b/a.jpg", "pip install gcsfs"), ("az://b/a.jpg", "pip install adlfs")],
)
def test_a_missing_package_is_named_with_its_pip_line(
    address: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: Any, **__: Any) -> None:
        raise ImportError("Please install it")

    monkeypatch.setattr(storage.fsspec, "filesystem", none)
    storage._file_system.cache_clear()
    with pytest.raises(SettingError, match=f"^{address}: .* {said}$"):
        place(address)


def test_an_unknown_protocol_is_said() -> None:
    with pytest.raises(SettingError, match=r"^nosuch://x: is no address that can be read"):
        place("nosuch://x")
