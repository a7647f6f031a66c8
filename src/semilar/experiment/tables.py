"""Tables as Markdown: our numbers with intervals, the paper's beside them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from semilar.evaluate import Mean, metric, number
from semilar.experiment.definition import UNTOUCHED, Table
from semilar.experiment.results import RowResult
from semilar.experiment.systems import read_speed, system_of
from semilar.net import cost


def as_markdown(table: Table, rows: Sequence[RowResult], *, root: Path) -> str:
    """A table of the paper with our numbers, and the rows against the reference."""
    parts = [_systems(rows, root)] if table.kind == "systems" else []
    parts += [_numbers(table, rows), _differences(table, rows)]
    parts += [_costs(rows)] if table.costs else []
    parts += [_remarks(table, rows)]
    return "\n\n".join(part for part in parts if part)


def _numbers(table: Table, rows: Sequence[RowResult]) -> str:
    first = next((row for row in rows if row.untouched), None)
    lines = _head("row", "seeds", *(metric(key).label for key in table.columns))
    if first is not None:
        cells = [_mean(first.mean(key, untouched=True), key) for key in table.columns]
        lines.append(_line(UNTOUCHED, "", *cells))
    for row in rows:
        seeds = str(len(row.jobs)) if row.jobs else ""
        cells = [_beside(row, key) for key in table.columns]
        if row.reason:
            cells[0] = f"*{row.reason}*" + (f"<br>{cells[0]}" if cells[0] else "")
        lines.append(_line(row.row.name, seeds, *(cell or "–" for cell in cells)))
    return "\n".join(lines)


def _beside(row: RowResult, key: str) -> str:
    """Our number, then the paper's and how far ours is from it."""
    mine, printed = row.mean(key), row.row.paper.get(key)
    parts = [_mean(mine, key)] if mine else []
    if printed is not None:
        far = ""
        if mine:
            low, high = (number(x - printed, key, signed=True) for x in (mine.low, mine.high))
            far = f", {number(mine.value - printed, key, signed=True)} [{low}, {high}]"
        parts.append(f"paper {number(printed, key)}{far}")
    return "<br>".join(parts)


def _differences(table: Table, rows: Sequence[RowResult]) -> str:
    """What each row gains over the reference, here and in the paper."""
    reference = next(row for row in rows if row.row.name == table.reference)
    others = [row for row in rows if row is not reference and (row.grids or row.row.paper)]
    if not reference.grids or not others:
        return ""
    lines = _head("row", *(metric(key).label for key in table.columns))
    for row in others:
        cells = []
        for key in table.columns:
            mean = row.difference(reference, key)
            parts = [_mean(mean, key, signed=True)] if mean else []
            if key in row.row.paper and key in reference.row.paper:
                gap = row.row.paper[key] - reference.row.paper[key]
                parts.append(f"paper {number(gap, key, signed=True)}")
            cells.append("<br>".join(parts) or "–")
        lines.append(_line(row.row.name, *cells))
    return "\n".join([f"Against **{table.reference}**, picture by picture:", "", *lines])


def _systems(rows: Sequence[RowResult], root: Path) -> str:
    """What the networks cost: here and as published."""
    lines = _head(
        *("system", "network", "M parameters", "published", "GMACs at 512²", "published"),
        *("s at 512², one thread", "steps in the budget"),
    )
    for row in rows:
        system = system_of(row.row.name)
        if system is None:
            continue
        counted = cost(system.network, **system.options)
        seconds = read_speed(root, system)
        steps = [fact["steps"] for fact in row.facts]
        lines.append(
            _line(
                row.row.name,
                f"`{system.network}`",
                f"{counted.parameters / 1e6:.2f}",
                _published(system.parameters),
                f"{counted.macs / 1e9:.2f}",
                _published(system.gmacs),
                "not measured" if seconds is None else f"{seconds:.2f}",
                f"{np.mean(steps):.0f}" if steps else "",
            )
        )
    return "\n".join(lines)


def _published(value: float | None) -> str:
    return "not found" if value is None else f"{value:.2f}"


def _costs(rows: Sequence[RowResult]) -> str:
    """What the trainings took, and what became of their pseudo labels."""
    lines = _head(
        *("row", "steps", "CPU s", "labels: visits", "accepted", "photos with one", "their PSNR")
    )
    for row in rows:
        if not row.facts:
            continue
        whole = [fact for fact in row.facts if not fact["resumed"]]
        seconds = f"{np.mean([fact['cpu_seconds'] for fact in whole]):.0f}" if whole else "–"
        found = [labels for fact in row.facts if (labels := fact.get("labels"))]
        cells = [""] * 4
        if found:
            visits, accepted, coverage, quality = (
                float(np.mean([labels[key] for labels in found]))
                for key in ("visits", "accepted", "coverage", "psnr")
            )
            cells = [f"{visits:.1f}", f"{accepted:.0%}", f"{coverage:.0%}", f"{quality:.2f}"]
        lines.append(_line(row.row.name, str(row.facts[0]["steps"]), seconds, *cells))
    return "\n".join(lines)


def _remarks(table: Table, rows: Sequence[RowResult]) -> str:
    notes = [f"- {row.row.name}: {row.row.note}." for row in rows if row.row.note]
    lpips = "lpips_published"
    if lpips in table.columns and not any(lpips in row.grids for row in rows):
        notes.append("- LPIPS was not measured: `semilar weights fetch lpips-alex`, `alexnet`.")
    text = [" ".join(table.notes.split())] if table.notes else []
    return "\n\n".join([*text, *(["\n".join(notes)] if notes else [])])


def _mean(mean: Mean | None, key: str, *, signed: bool = False) -> str:
    if mean is None:
        return "–"
    low, high = (number(x, key, signed=signed) for x in (mean.low, mean.high))
    return f"{number(mean.value, key, signed=signed)} [{low}, {high}]"


def _head(*cells: str) -> list[str]:
    rule = ["---", *(["---:"] * (len(cells) - 1))]
    return [_line(*cells), _line(*rule)]


def _line(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
