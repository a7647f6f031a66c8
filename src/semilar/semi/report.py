"""What a repository says about itself: statistics, exported pairs, an HTML page."""

import html
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image

from semilar.errors import SemilarError
from semilar.photo import data_address, read, to_depth
from semilar.semi.repository import Entry, Event
from semilar.semi.rule import Decision, Label
from semilar.semi.shards import MergedRepository

PERIODS = 5


@dataclass(frozen=True)
class Period:
    """A stretch of steps: what became of its candidates, and the quartiles of accepted scores."""

    first_step: int
    last_step: int
    outcomes: dict[str, int]
    quartiles: list[float] | None


@dataclass(frozen=True)
class Stats:
    """A repository in figures."""

    photos: int
    filled: int
    outcomes: dict[str, int]
    histogram: list[tuple[float, float, int]]
    """Stored scores: from, to, how many."""
    periods: list[Period]

    @property
    def coverage(self) -> float:
        """Share of photos that have a pseudo label."""
        return self.filled / self.photos if self.photos else 0.0


def stats(repository: MergedRepository) -> Stats:
    """Coverage, scores over time, and rejections by reason."""
    entries = list(repository.entries())
    scores = [e.score for e in entries if e.score is not None]
    return Stats(
        photos=len(entries),
        filled=sum(e.label is not None for e in entries),
        outcomes={name.value: count for name, count in repository.totals().items()},
        histogram=_histogram(scores),
        periods=_periods(repository.events()),
    )


def _histogram(scores: list[float]) -> list[tuple[float, float, int]]:
    if not scores:
        return []
    counts, edges = np.histogram(scores, bins=min(10, max(1, len(scores) // 3)))
    return [
        (float(low), float(high), int(count))
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]


def _periods(events: list[Event]) -> list[Period]:
    if not events:
        return []
    steps = np.array([event.step for event in events])
    edges = np.unique(np.linspace(steps[0], steps[-1] + 1, PERIODS + 1).astype(int))
    periods = []
    for first, end in pairwise(edges):
        part = [event for event in events if first <= event.step < end]
        taken = [e.score for e in part if e.outcome is Decision.ACCEPTED and e.score is not None]
        quartiles = [float(q) for q in np.percentile(taken, (25, 50, 75))] if taken else None
        outcomes = {name.value: sum(e.outcome is name for e in part) for name in Decision}
        periods.append(Period(int(first), int(end) - 1, outcomes, quartiles))
    return periods


def find_entry(repository: MergedRepository, name: str) -> Entry:
    """The entry whose key, path or file name is `name`."""
    matches = [
        key
        for key in repository.photo_keys()
        if name in (key, key.rpartition("#")[0], Path(key.rpartition("#")[0]).name)
    ]
    if len(matches) != 1:
        problem = "names no photo" if not matches else f"names {len(matches)} photos"
        raise SemilarError(f"{name}: {problem} of this repository.")
    entry = repository.entry(matches[0])
    assert entry is not None
    return entry


def to_picture(label: Label) -> Image.Image:
    """A stored label as an 8-bit picture, encoded."""
    return Image.fromarray(np.ascontiguousarray(to_depth(label.transpose(1, 2, 0), 8)))


def frame_of(entry: Entry, photos: Path | None) -> Image.Image | None:
    """The photo at the label's size, where the folder still has it."""
    path = None if photos is None else photos / entry.path
    if path is None or not path.is_file() or entry.label is None:
        return None
    from semilar.data import resize

    height, width = entry.label.shape[1:]
    return Image.fromarray(resize(to_depth(read(path).pixels, 8), height, width))


def page(repository: MergedRepository, photos: Path | None, *, limit: int = 200) -> str:
    """An HTML page: figures first, then photo, pseudo label and history of each entry."""
    figures = stats(repository)
    rows = [
        _row(entry, repository.events(entry.key), photos) for entry in _first(repository, limit)
    ]
    summary = html.escape(
        f"{figures.filled} of {figures.photos} photos have a pseudo label;"
        f" candidates: {', '.join(f'{n} {k}' for k, n in figures.outcomes.items())}."
    )
    return _PAGE.replace("{summary}", summary).replace("{rows}", "\n".join(rows))


def _first(repository: MergedRepository, limit: int) -> list[Entry]:
    found = (repository.entry(key) for key in repository.photo_keys()[:limit])
    return [entry for entry in found if entry is not None]


def _row(entry: Entry, history: list[Event], photos: Path | None) -> str:
    pictures = [frame_of(entry, photos), None if entry.label is None else to_picture(entry.label)]
    cells = "".join(f"<td>{_image(p)}</td>" for p in pictures)
    lines = "<br>".join(
        f"step {e.step}: {e.outcome}" + (f", score {e.score:.3f}" if e.score is not None else "")
        for e in history[-12:]
    )
    score = "–" if entry.score is None else f"{entry.score:.3f}"
    title = f"<b>{html.escape(entry.path)}</b><br>score {score}<br>"
    return f"<tr>{cells}<td>{title}{lines}</td></tr>"


def _image(picture: Image.Image | None) -> str:
    if picture is None:
        return "–"
    return f'<img alt="" src="{data_address(np.asarray(picture), side=360)}">'


_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Pseudo labels</title>
<style>body{font:14px system-ui;margin:2em;background:#111;color:#ddd}td{padding:.5em;
vertical-align:top}img{max-width:360px}</style>
<h1>Dependable repository</h1><p>{summary}</p>
<table><tr><th>photo</th><th>pseudo label</th><th>history</th></tr>
{rows}
</table></html>
"""
