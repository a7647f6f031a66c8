"""The dependable repository on disk: one SQLite database, every change whole or not at all.

Per photo it keeps the blended pseudo label at 16 bits, its score, how often candidates were
offered, accepted and rejected and why, and the step of the last change. Label, score and counters
change in one transaction, so a process killed at any moment leaves every entry as it was before or
as it is after.

Resume: a checkpoint is older than the last changes of a killed run. Before the first change of an
entry after a checkpoint its state is put aside (tables `undo_…`); `roll_back(step)` brings the
repository to the state it had at that checkpoint.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from torch import Tensor

from semilar.errors import SemilarError
from semilar.semi.rule import Decision, Label, UpdateRule

# Labels are large and change seldom, counters are small and change with every candidate: two
# tables, each with a twin that keeps the state before the first change after a checkpoint.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
  key TEXT PRIMARY KEY, height INTEGER NOT NULL, width INTEGER NOT NULL,
  score REAL, step INTEGER, accepted INTEGER NOT NULL, black INTEGER NOT NULL,
  foggy INTEGER NOT NULL, not_better INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS pixels (key TEXT PRIMARY KEY, label BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS undo_entry (
  key TEXT NOT NULL, since INTEGER NOT NULL, existed INTEGER NOT NULL, height INTEGER,
  width INTEGER, score REAL, step INTEGER, accepted INTEGER, black INTEGER,
  foggy INTEGER, not_better INTEGER, PRIMARY KEY (key, since)
);
CREATE TABLE IF NOT EXISTS undo_pixels (
  key TEXT NOT NULL, since INTEGER NOT NULL, existed INTEGER NOT NULL, label BLOB,
  PRIMARY KEY (key, since)
);
CREATE TABLE IF NOT EXISTS event (
  key TEXT NOT NULL, step INTEGER NOT NULL, outcome TEXT NOT NULL, score REAL
);
CREATE INDEX IF NOT EXISTS event_by_key ON event (key, step);
CREATE TABLE IF NOT EXISTS mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""
_FIELDS = {
    "entry": "height, width, score, step, accepted, black, foggy, not_better",
    "pixels": "label",
}


@dataclass(frozen=True)
class Entry:
    """What is kept about one photo. `label` is (3, H, W); None until a candidate was accepted."""

    key: str
    label: Label | None
    score: float | None
    step: int | None
    accepted: int = 0
    black: int = 0
    foggy: int = 0
    not_better: int = 0

    @property
    def offered(self) -> int:
        """All candidates that were ever offered."""
        return self.accepted + self.black + self.foggy + self.not_better

    @property
    def path(self) -> str:
        """The photo's path inside its folder."""
        return self.key.rpartition("#")[0]


@dataclass(frozen=True)
class Event:
    """One offered candidate."""

    key: str
    step: int
    outcome: Decision
    score: float | None


@dataclass(frozen=True)
class Offer:
    """A bounded candidate (3, H, W), encoded, in the photo's own frame; see `UpdateRule`."""

    key: str
    candidate: Tensor
    refused: Decision | None
    score: float | None
    """None where the candidate was refused before anybody looked at its quality."""


class Repository:
    """One database file. `Repository(path)` opens or makes it; `readonly` never changes it."""

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        self.path = path
        if readonly and not path.is_file():
            raise SemilarError(f"{path}: no such repository.")
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=30)
            if not readonly:
                # WAL: readers look on while training writes. NORMAL: a killed process loses
                # nothing; a power cut loses at most what `mark_checkpoint` has not flushed.
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
                with self._transaction():
                    for statement in _SCHEMA.split(";"):
                        self._db.execute(statement)
            self._since = self._read_mark()
        except sqlite3.DatabaseError as error:
            raise SemilarError(f"{path}: not a usable repository ({error}).") from None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> "Repository":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def offer(self, offers: Sequence[Offer], rule: UpdateRule, *, step: int) -> list[Entry]:
        """Algorithm 1, lines 4 to 13, for a batch; gives the entries as they now are.

        All entries of the batch change in one transaction.
        """
        with self._transaction():
            return [self._offer(one, rule, step) for one in offers]

    def entry(self, key: str) -> Entry | None:
        """What is kept under a key, or None."""
        row = self._db.execute(
            "SELECT key, height, width, score, step, accepted, black, foggy, not_better, label"
            " FROM entry LEFT JOIN pixels USING (key) WHERE key = ?",
            (key,),
        ).fetchone()
        return None if row is None else _entry(row)

    def photo_keys(self) -> list[str]:
        """The keys of all entries."""
        return [row[0] for row in self._db.execute("SELECT key FROM entry ORDER BY key")]

    def events(self, key: str | None = None) -> list[Event]:
        """Every candidate ever offered, oldest first; of one photo where `key` is given."""
        where, values = ("WHERE key = ?", (key,)) if key else ("", ())
        rows = self._db.execute(
            f"SELECT key, step, outcome, score FROM event {where} ORDER BY step, rowid", values
        )
        return [Event(k, step, Decision(outcome), score) for k, step, outcome, score in rows]

    def totals(self) -> dict[Decision, int]:
        """How many candidates met each outcome."""
        names = [outcome.value for outcome in Decision]
        sums = ", ".join(f"COALESCE(SUM({name}), 0)" for name in names)
        row = self._db.execute(f"SELECT {sums} FROM entry").fetchone()
        return {Decision(name): count for name, count in zip(names, row, strict=True)}

    def mark_checkpoint(self, step: int) -> None:
        """From now on changes come after the checkpoint of `step`; all before is on the disk."""
        self._db.execute("PRAGMA synchronous=FULL")
        with self._transaction():
            self._db.execute("INSERT OR REPLACE INTO mark VALUES ('since', ?)", (step,))
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._since = step

    def forget_before(self, step: int) -> None:
        """Drop what only serves to go back to checkpoints older than that of `step`."""
        with self._transaction():
            for table in _FIELDS:
                self._db.execute(f"DELETE FROM undo_{table} WHERE since < ?", (step,))

    def roll_back(self, step: int) -> None:
        """Bring everything to the state at the checkpoint of `step`."""
        with self._transaction():
            for table, fields in _FIELDS.items():
                first = f"SELECT MIN(since) FROM undo_{table} WHERE key = u.key AND since >= :step"
                undone = f"FROM undo_{table} AS u WHERE since = ({first})"
                values = {"step": step}
                self._db.execute(f"DELETE FROM {table} WHERE key IN (SELECT key {undone})", values)
                self._db.execute(
                    f"INSERT INTO {table} (key, {fields})"
                    f" SELECT key, {fields} {undone} AND existed = 1",
                    values,
                )
                self._db.execute(f"DELETE FROM undo_{table} WHERE since >= :step", values)
            self._db.execute("DELETE FROM event WHERE step >= ?", (step,))
            self._db.execute("INSERT OR REPLACE INTO mark VALUES ('since', ?)", (step,))
        self._since = step

    def adopt(self, other: "Repository", keys: Sequence[str]) -> None:
        """Copy entries and their history from another repository."""
        with self._transaction():
            for key in keys:
                for table in ("entry", "pixels", "undo_entry", "undo_pixels", "event"):
                    rows = other._db.execute(
                        f"SELECT * FROM {table} WHERE key = ? ORDER BY rowid", (key,)
                    ).fetchall()
                    if rows:
                        marks = ", ".join("?" * len(rows[0]))
                        self._db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
            self._db.execute("INSERT OR REPLACE INTO mark VALUES ('since', ?)", (other._since,))
        self._since = other._since

    def _offer(self, one: Offer, rule: UpdateRule, step: int) -> Entry:
        old = self.entry(one.key) or Entry(one.key, None, None, None)
        outcome, label = one.refused, old.label
        if outcome is None:
            assert one.score is not None
            stored_score = -np.inf if old.score is None else old.score
            if rule.is_empty(old.label) or rule.is_better(one.score, stored_score):
                outcome, label = Decision.ACCEPTED, rule.blend(old.label, one.candidate)
            else:
                outcome = Decision.NOT_BETTER
        took = outcome is Decision.ACCEPTED
        counts = {name.value: getattr(old, name) + (name is outcome) for name in Decision}
        new = Entry(
            one.key,
            label,
            one.score if took else old.score,
            step if took else old.step,
            **counts,
        )
        self._store(new, one, outcome, step)
        return new

    def _store(self, new: Entry, one: Offer, outcome: Decision, step: int) -> None:
        height, width = one.candidate.shape[-2:]
        counts = (new.accepted, new.black, new.foggy, new.not_better)
        self._put_aside("entry", new.key)
        self._db.execute(
            "INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (new.key, height, width, new.score, new.step, *counts),
        )
        if outcome is Decision.ACCEPTED:
            assert new.label is not None
            self._put_aside("pixels", new.key)
            self._db.execute(
                "INSERT OR REPLACE INTO pixels VALUES (?, ?)", (new.key, new.label.tobytes())
            )
        self._db.execute(
            "INSERT INTO event VALUES (?, ?, ?, ?)", (new.key, step, outcome.value, one.score)
        )

    def _put_aside(self, table: str, key: str) -> None:
        """Keep the state of a row before its first change after the last checkpoint."""
        fields, values = _FIELDS[table], (self._since, key)
        done = self._db.execute(
            f"SELECT 1 FROM undo_{table} WHERE since = ? AND key = ?", values
        ).fetchone()
        if done is not None:
            return
        copied = self._db.execute(
            f"INSERT INTO undo_{table} SELECT key, ?, 1, {fields} FROM {table} WHERE key = ?",
            values,
        ).rowcount
        if not copied:
            self._db.execute(
                f"INSERT INTO undo_{table} (since, key, existed) VALUES (?, ?, 0)", values
            )

    def _read_mark(self) -> int:
        row = self._db.execute("SELECT value FROM mark WHERE name = 'since'").fetchone()
        return row[0] if row else 0

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
        except BaseException as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise SemilarError(f"{self.path}: cannot be written ({error}).") from error
            raise


def _entry(row: tuple) -> Entry:
    key, height, width, *fields, blob = row
    label = None if blob is None else np.frombuffer(blob, np.uint16).reshape(3, height, width)
    return Entry(key, label, *fields)
