"""An evaluation as JSON and CSV."""

import csv
import io
import json
import math
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from semilar import __version__
from semilar.errors import OutputExistsError
from semilar.evaluate.metrics import Values, metric
from semilar.evaluate.run import Evaluation
from semilar.evaluate.summary import WORST, Summary
from semilar.files import write_text

_HEAD = 2000  # bytes in which a file says what it is about


def subject_mark(**subject: object) -> str:
    """A short mark of what is measured, by which a repeated run knows its own files again."""
    text = json.dumps({key: str(value) for key, value in subject.items()}, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


def check_free(target: Path, mark: str) -> None:
    """An error if something else than an earlier result of the same subject is at `target`."""
    if not target.exists():
        return
    with target.open("rb") as file:
        if mark.encode() not in file.read(_HEAD):
            raise OutputExistsError(f"{target}: already exists and is about something else.")


def write_results(folder: Path, evaluation: Evaluation, facts: dict[str, Any]) -> list[Path]:
    """Write the facts of `as_json` and the rows of `as_csv` into `folder`; the files."""
    contents = {
        folder / "evaluation.json": json.dumps(facts, indent=1, ensure_ascii=False),
        folder / "evaluation.csv": as_csv(evaluation),
    }
    for path, text in contents.items():
        write_text(path, text)
    return list(contents)


def as_json(evaluation: Evaluation, summary: Summary, *, mark: str) -> dict[str, Any]:
    """Everything, for a machine to read. Infinity (an exact match) is the string "inf"."""
    names = [picture.name for picture in evaluation.pictures]
    return _plain(
        {
            "version": __version__,
            "subject": mark,
            "pictures": summary.count,
            "metrics": {
                key: {
                    "label": metric(key).label,
                    "higher_is_better": metric(key).higher_is_better,
                }
                for key in summary.metrics
            },
            "means": {
                role: {key: asdict(mean) for key, mean in means.items()}
                for role, means in summary.means.items()
            },
            "differences": {
                role: {key: asdict(difference) for key, difference in table.items()}
                for role, table in summary.differences.items()
            },
            "worst": {
                "ranked_by": summary.ranked_by,
                "pictures": [names[i] for i in summary.ranking[:WORST]],
            },
            "rows": [
                {"picture": name, **evaluation.rows[i], "differences": _gains(evaluation, i)}
                for i, name in enumerate(names)
            ],
        }
    )


def as_csv(evaluation: Evaluation) -> str:
    """One line per picture and series, differences included; empty where a region is missing."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["picture", "role", *evaluation.metrics])
    for i, picture in enumerate(evaluation.pictures):
        gains = {f"result minus {role}": row for role, row in _gains(evaluation, i).items()}
        for role, row in (evaluation.rows[i] | gains).items():
            values = ["" if row[m] is None else repr(row[m]) for m in evaluation.metrics]
            writer.writerow([picture.name, role, *values])
    return stream.getvalue()


def _gains(evaluation: Evaluation, index: int) -> dict[str, Values]:
    return {role: evaluation.difference(index, role) for role in evaluation.others}


def _plain(value: Any) -> Any:
    """JSON has no infinity and no NaN."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
