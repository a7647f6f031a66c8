"""Figures: sheets of pictures, points with intervals, learning curves, what repositories kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from semilar.experiment.definition import Figure
from semilar.experiment.evaluating import pictures_of
from semilar.experiment.results import RowResult
from semilar.experiment.runs import read_result
from semilar.extras import load_extra
from semilar.files import atomic_path
from semilar.semi import MergedRepository, Stats, stats
from semilar.train import read_log

_CELL = 1.2  # inches of a picture on a sheet
_SHEET_DPI, _DPI = 80, 150


def draw(figure: Figure, rows: Sequence[RowResult], target: Path) -> tuple[Path | None, str]:
    """Draw to `target`.svg and .png; gives the smaller one, or None and why there is nothing."""
    done = [row for row in rows if row.jobs]
    if not done:
        return None, "nothing of it has been run"
    matplotlib = load_extra("matplotlib", "experiment", what="Drawing")
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "semilar", "font.size": 8, "svg.fonttype": "none"})
    painter = {"sheet": _sheet, "points": _points, "learning": _learning, "repository": _kept}
    canvas = painter[figure.kind](figure, done)
    if canvas is None:
        return None, "its runs left nothing to draw"
    svg, png = (target.with_name(f"{target.name}.{suffix}") for suffix in ("svg", "png"))
    sheet = figure.kind == "sheet"
    for path in (svg, png):
        metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
        with atomic_path(path) as temporary:
            dpi = _SHEET_DPI if sheet else _DPI
            canvas.savefig(temporary, dpi=dpi, bbox_inches="tight", metadata=metadata)
            if sheet and path == png:
                _with_256_colours(temporary)
    return png if sheet else svg, ""


def _with_256_colours(file: Path) -> None:
    """A third of the bytes."""
    with Image.open(file) as picture:
        picture.convert("RGB").quantize(256).save(file, format="PNG", optimize=True)


def _axes(rows: int, columns: int, size: tuple[float, float]) -> tuple[Any, Any]:
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=size)
    return canvas, canvas.subplots(rows, columns, squeeze=False)


def _sheet(figure: Figure, rows: Sequence[RowResult]) -> Any:
    """Input, every row's picture of the first seed, and the truth; a picture a line."""
    folder = Path(_tests(rows[0])[figure.test]["folder"])
    chosen = pictures_of(folder)
    chosen = chosen[:: max(1, len(chosen) // figure.pictures)][: figure.pictures]
    titles = ["input", *(row.row.name for row in rows), "truth"]
    canvas, axes = _axes(len(chosen), len(titles), (_CELL * len(titles), _CELL * len(chosen) + 0.3))
    for line, picture in zip(axes, chosen, strict=True):
        restored = [
            row.jobs[0].folder / "restored" / figure.test / f"{picture.name}.png" for row in rows
        ]
        files = [picture.files["untouched"], *restored, picture.files["truth"]]
        for place, file in zip(line, files, strict=True):
            place.set_axis_off()
            with Image.open(file) as shown:
                place.imshow(np.asarray(shown.convert("RGB")), interpolation="nearest")
    for place, title in zip(axes[0], titles, strict=True):
        place.set_title(title, fontsize=7)
    canvas.subplots_adjust(wspace=0.03, hspace=0.03)
    return canvas


def _tests(row: RowResult) -> dict[str, Any]:
    return read_result(row.jobs[0])["tests"]


def _points(figure: Figure, rows: Sequence[RowResult]) -> Any:
    """PSNR of every row with its interval, and the paper's in a panel of its own."""
    canvas, axes = _axes(1, 2, (6.5, 0.5 + 0.4 * len(rows)))
    names, places = [row.row.name for row in rows], np.arange(len(rows))[::-1]
    means = [row.mean("psnr") for row in rows]
    known = [(place, mean) for place, mean in zip(places, means, strict=True) if mean]
    values = np.array([mean.value for _, mean in known])
    reach = np.abs(np.array([[mean.low, mean.high] for _, mean in known]).T - values)
    axes[0][0].errorbar(values, [place for place, _ in known], xerr=reach, fmt="o", capsize=3)
    printed = [
        (place, row.row.paper["psnr"])
        for place, row in zip(places, rows, strict=True)
        if "psnr" in row.row.paper
    ]
    axes[0][1].plot([value for _, value in printed], [place for place, _ in printed], "s")
    for place, title in zip(axes[0], ("here", "paper"), strict=True):
        place.set_yticks(places, names if title == "here" else [""] * len(names))
        place.set_ylim(-0.5, len(rows) - 0.5)
        place.set_xlabel("PSNR (dB)")
        place.set_title(title)
        place.grid(axis="x", alpha=0.3)
    return canvas


def _learning(figure: Figure, rows: Sequence[RowResult]) -> Any:
    """PSNR of the validation pictures against the step; seeds thin, their mean thick."""
    canvas, axes = _axes(1, 1, (6.0, 3.5))
    place = axes[0][0]
    for row, colour in zip(rows, _colours(len(rows)), strict=True):
        curves = [curve for job in row.jobs if (curve := _validation(job.recipe.run))]
        if not curves:
            continue
        for curve in curves:
            place.plot(*zip(*curve, strict=True), color=colour, alpha=0.3, linewidth=0.7)
        steps = sorted(set.intersection(*(set(dict(curve)) for curve in curves)))
        mean = [float(np.mean([dict(curve)[step] for curve in curves])) for step in steps]
        place.plot(steps, mean, color=colour, label=row.row.name)
    if not place.lines:
        return None
    place.set(xlabel="step", ylabel="validation PSNR (dB)")
    place.legend(fontsize=7)
    place.grid(alpha=0.3)
    return canvas


def _validation(run: Path) -> list[tuple[int, float]]:
    lines = read_log(run / "log.jsonl")
    return [
        (line["step"], next(one for one in line.values() if isinstance(one, dict))["psnr"])
        for line in lines
        if line["kind"] == "validation"
    ]


def _kept(figure: Figure, rows: Sequence[RowResult]) -> Any:
    """Candidates by what became of them, and quartiles of accepted scores, over time."""
    found = [(row, _repository(row.jobs[0].recipe.run)) for row in rows]
    shown = [(row, one) for row, one in found if one is not None and one.periods]
    if not shown:
        return None
    canvas, axes = _axes(2, len(shown), (3.2 * len(shown), 4.5))
    for column, (row, one) in enumerate(shown):
        above, below = axes[0][column], axes[1][column]
        middle = [(period.first_step + period.last_step) / 2 for period in one.periods]
        wide = 0.8 * (middle[1] - middle[0]) if len(middle) > 1 else 1.0
        bottom = np.zeros(len(middle))
        for outcome in one.outcomes:
            counts = np.array([period.outcomes[outcome] for period in one.periods])
            if counts.any():
                above.bar(middle, counts, wide, bottom, label=outcome)
                bottom += counts
        above.set(title=row.row.name, ylabel="candidates")
        above.legend(fontsize=6)
        scored = [(m, p.quartiles) for m, p in zip(middle, one.periods, strict=True) if p.quartiles]
        if scored:
            steps, quartiles = [m for m, _ in scored], np.array([q for _, q in scored])
            below.fill_between(steps, quartiles[:, 0], quartiles[:, 2], alpha=0.3)
            below.plot(steps, quartiles[:, 1], marker="o")
        below.set(xlabel="step", ylabel="accepted scores (quartiles)")
    canvas.tight_layout()
    return canvas


def _repository(run: Path) -> Stats | None:
    return stats(MergedRepository(run)) if (run / "repository").is_dir() else None


def _colours(count: int) -> list[Any]:
    from matplotlib import colormaps

    return [colormaps["tab10"](i % 10) for i in range(count)]
