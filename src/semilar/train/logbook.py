"""The log of a run: JSON lines, and the same figures for TensorBoard."""

import json
from pathlib import Path
from typing import Any

from semilar.files import write_text


class Logbook:
    """Appends one JSON object per line. `step=N` drops what a stopped run wrote after step N."""

    def __init__(self, path: Path, *, step: int = 0, tensorboard: Path | None = None) -> None:
        self._path = path
        if path.exists():
            write_text(path, "".join(f"{line}\n" for line in _lines_until(path, step)))
        self._file = path.open("a", buffering=1, encoding="utf-8")
        self._board = _board(tensorboard, step) if tensorboard else None

    def write(self, kind: str, step: int, figures: dict[str, Any], *, seconds: float) -> None:
        """Add a line. Only `seconds` depends on the clock; all else is the same in every run."""
        line = {"kind": kind, "step": step, **figures, "seconds": round(seconds, 2)}
        self._file.write(json.dumps(line) + "\n")
        if self._board is not None:
            for name, value in _flat(figures, kind):
                self._board.add_scalar(name, value, step)

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._board is not None:
            self._board.close()


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a log; a torn last line is left out."""
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(text))
        except ValueError:
            break
    return lines


def _lines_until(path: Path, step: int) -> list[str]:
    return [json.dumps(line) for line in read_log(path) if line["step"] <= step]


def _flat(figures: dict[str, Any], prefix: str) -> list[tuple[str, float]]:
    found = []
    for name, value in figures.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}/{name}")
        elif isinstance(value, int | float):
            found.append((f"{prefix}/{name}", value))
    return found


def _board(folder: Path, step: int) -> Any:
    from semilar.extras import load_extra

    writer = load_extra("torch.utils.tensorboard", "train").SummaryWriter
    return writer(str(folder), purge_step=step or None)
