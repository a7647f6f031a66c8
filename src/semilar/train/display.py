"""What a person sees while a run goes on."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Display(Protocol):
    """Something that shows how training goes."""

    def begin(self, steps: int, done: int) -> None: ...

    def say(self, text: str) -> None: ...

    def show(self, step: int, figures: dict[str, Any]) -> None: ...


class Silent:
    """Shows nothing: other processes of a distributed run, and tests."""

    def begin(self, steps: int, done: int) -> None:
        """Take no notice."""

    def say(self, text: str) -> None:
        """Say nothing."""

    def show(self, step: int, figures: dict[str, Any]) -> None:
        """Drop the figures."""


class Speed:
    """Pictures per second over the last half minute or so."""

    def __init__(self) -> None:
        self._marks: list[tuple[float, int]] = [(time.monotonic(), 0)]

    def add(self, pictures: int) -> None:
        """Count pictures that were just trained on."""
        self._marks.append((time.monotonic(), self._marks[-1][1] + pictures))
        while len(self._marks) > 2 and self._marks[-1][0] - self._marks[0][0] > 30:
            self._marks.pop(0)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave out the time spent inside, such as validation."""
        before = time.monotonic()
        yield
        pause = time.monotonic() - before
        self._marks = [(moment + pause, count) for moment, count in self._marks]

    @property
    def per_second(self) -> float:
        """Pictures per second."""
        (start, first), (end, last) = self._marks[0], self._marks[-1]
        return (last - first) / (end - start) if end > start else 0.0


def summary(figures: dict[str, Any]) -> str:
    """The figures of a step in one short line."""
    parts = [f"loss {figures['loss']:.4f}", f"lr {figures['lr']:.1e}"]
    if figures.get("eta"):
        parts.append(f"η {figures['eta']:.3f}")
    if figures.get("repository"):
        kept = figures["repository"]
        rejected = sum(count for name, count in kept.items() if name != "accepted")
        parts.append(f"accepted {kept['accepted']} rejected {rejected}")
    if figures.get("skipped"):
        parts.append(f"skipped {figures['skipped']}")
    if "speed" in figures:
        parts.append(f"{figures['speed']:.1f} pictures/s")
    if "gain" in figures:
        parts.append(figures["gain"])
    return "  ".join(parts)
