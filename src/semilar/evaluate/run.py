"""Measuring all pictures of a set: several processes, and a journal to restart from."""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from semilar.evaluate.metrics import Values, measure, metrics
from semilar.evaluate.pairing import Series
from semilar.processes import in_processes

COMPARED = ("result", "untouched", "baseline")  # the roles that are compared with the ground truth


@dataclass(frozen=True)
class Evaluation:
    """The numbers of every picture: `rows[i][role][metric]` belongs to `pictures[i]`."""

    pictures: list[Series]
    rows: list[dict[str, Values]]
    roles: tuple[str, ...]

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that were computed."""
        return tuple(self.rows[0][self.roles[0]])

    @property
    def others(self) -> tuple[str, ...]:
        """The series the result is compared with."""
        return tuple(role for role in self.roles if role != "result")

    def difference(self, index: int, role: str) -> Values:
        """Result minus `role` for one picture; two exact matches differ by nothing."""
        row = self.rows[index]
        return {key: _minus(value, row[role][key]) for key, value in row["result"].items()}


def evaluate(
    pictures: list[Series],
    *,
    with_lpips: bool,
    jobs: int = 1,
    journal: Path | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Evaluation:
    """Measure `pictures` in up to `jobs` processes; `progress` is called after each.

    A `journal` file keeps every finished picture: after a stop, the pictures whose files have not
    changed are taken from it. An error stops the run, for a mean over some pictures misleads.
    """
    roles = tuple(role for role in COMPARED if role in pictures[0].files)
    done = _read_journal(journal)
    keys = [_fingerprint(picture, with_lpips) for picture in pictures]
    missing = [i for i, key in enumerate(keys) if key not in done]
    for _ in range(len(pictures) - len(missing)):
        progress()
    tasks = [(i, pictures[i], roles, with_lpips) for i in missing]
    with _journal_writer(journal) as note:
        for i, row in in_processes(_measure_one, tasks, jobs=jobs):
            done[keys[i]] = row
            note(keys[i], row)
            progress()
    return Evaluation(pictures, [done[key] for key in keys], roles)


def _minus(first: float | None, second: float | None) -> float | None:
    if first is None or second is None:
        return None
    return 0.0 if first == second else first - second


_Task = tuple[int, Series, tuple[str, ...], bool]


def _measure_one(task: _Task) -> tuple[int, dict[str, Values]]:
    index, picture, roles, with_lpips = task
    return index, measure(picture.files, roles, with_lpips=with_lpips)


def _fingerprint(picture: Series, with_lpips: bool) -> str:
    """What a row depends on: the files as they are now, and the metrics asked for."""
    facts = [picture.name, str(with_lpips), *metrics()]
    for role, file in sorted(picture.files.items()):
        status = file.stat()
        facts += [role, str(file.resolve()), str(status.st_size), str(status.st_mtime_ns)]
    return sha256("\0".join(facts).encode()).hexdigest()


def _read_journal(journal: Path | None) -> dict[str, dict[str, Values]]:
    done: dict[str, dict[str, Values]] = {}
    if journal is None or not journal.exists():
        return done
    for line in journal.read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(ValueError, KeyError, TypeError):  # the line a kill cut short
            entry = json.loads(line)
            done[entry["key"]] = entry["row"]
    return done


@contextlib.contextmanager
def _journal_writer(journal: Path | None) -> Iterator[Callable[[str, dict[str, Values]], None]]:
    if journal is None:
        yield lambda _key, _row: None
        return
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("a", encoding="utf-8") as file:
        file.write("\n")  # ends a line that a kill cut short

        def note(key: str, row: dict[str, Values]) -> None:
            file.write(json.dumps({"key": key, "row": row}) + "\n")
            file.flush()

        yield note
