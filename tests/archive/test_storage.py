"""Storage that fails: asked again where that can help, at once an error where it cannot."""

from typing import Any

import pytest

from semilar.archive import storage
from semilar.archive.storage import Place


class Failing:
    """A file system whose reads fail some times before they work."""

    protocol = "s3"

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
    with pytest.raises(TimeoutError, match="gone"):
        Place(fs, "bucket/a").read()
    assert fs.calls == len(pauses) + 1 < 10


@pytest.mark.parametrize("error", [FileNotFoundError("a"), PermissionError("a")])
def test_what_cannot_help_is_not_tried(error: Any, pauses: list[float]) -> None:
    fs = Failing(error, 1)
    with pytest.raises(type(error)):
        Place(fs, "bucket/a").read()
    assert (fs.calls, pauses) == (1, [])
