"""An evaluation as tables for the terminal."""

import math

from rich.table import Table

from semilar.evaluate.metrics import metric
from semilar.evaluate.run import Evaluation
from semilar.evaluate.summary import WORST, Mean, Summary

ROLE_NAMES = {"result": "result", "untouched": "untouched input", "baseline": "baseline"}


def means_table(summary: Summary, *, title: str) -> Table:
    """Mean and 95 % interval of every metric for every series."""
    table = _table(title, "metric", *(ROLE_NAMES[role] for role in summary.means))
    for key in summary.metrics:
        cells = [_with_interval(means.get(key), key) for means in summary.means.values()]
        table.add_row(_label(summary, key), *(f"{mean}\n[dim]{spread}" for mean, spread in cells))
    return table


def differences_table(summary: Summary, role: str) -> Table:
    """What the result gained or lost against another series, with a paired test."""
    title = f"result minus {ROLE_NAMES[role]}"
    table = _table(title, "metric", "mean", "95 % interval", "better in", "p (paired)")
    for key, difference in summary.differences[role].items():
        table.add_row(
            _label(summary, key),
            *_with_interval(difference.mean, key, signed=True),
            f"{difference.better} of {difference.mean.count}",
            f"{difference.p:.4f}" if difference.p >= 1e-4 else "< 0.0001",
        )
    return table


def worst_table(evaluation: Evaluation, summary: Summary) -> Table:
    """The pictures to look at first."""
    shown = [key for key in ("psnr", "ssim", "lpips_published") if key in evaluation.metrics]
    headings = [metric(key).label.replace(" ", "\n", 1) for key in shown]
    gains = [f"PSNR gain over\n{ROLE_NAMES[role]}" for role in evaluation.others]
    table = _table(f"worst {WORST} by {summary.ranked_by}", "picture", *headings, *gains)
    for i in summary.ranking[:WORST]:
        row = evaluation.rows[i]
        table.add_row(
            evaluation.pictures[i].name,
            *(number(row["result"][key], key) for key in shown),
            *(
                number(evaluation.difference(i, role)["psnr"], "psnr", signed=True)
                for role in evaluation.others
            ),
        )
    return table


def number(value: float | None, key: str, *, signed: bool = False) -> str:
    """A value with the digits its metric is published with; a dash where there is none."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return f"{value:{'+' if signed else ''}.{metric(key).digits}f}"


def _with_interval(mean: Mean | None, key: str, *, signed: bool = False) -> tuple[str, str]:
    if mean is None or not mean.count:
        return "–", ""
    low, high = number(mean.low, key, signed=signed), number(mean.high, key, signed=signed)
    return number(mean.value, key, signed=signed), f"{low} … {high}"


def _label(summary: Summary, key: str) -> str:
    label = metric(key).label.replace("[", r"\[")
    mean = summary.means["result"].get(key)
    partial = mean is not None and mean.count < summary.count
    return f"{label}, {mean.count} pictures" if mean and partial else label


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    table.add_column(first, no_wrap=True, overflow="fold", vertical="top")
    for heading in others:
        table.add_column(heading.replace("[", r"\["), justify="right", no_wrap=True)
    return table
