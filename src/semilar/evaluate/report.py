"""The report: one self-contained HTML page with sliders, error maps and sortable numbers."""

from collections.abc import Callable
from html import escape
from pathlib import Path

import numpy as np

from semilar import __version__
from semilar.evaluate.error_map import RANGE, error_map
from semilar.evaluate.metrics import Values, metric
from semilar.evaluate.run import Evaluation
from semilar.evaluate.summary import WORST, Mean, Summary
from semilar.evaluate.tables import ROLE_NAMES, number
from semilar.files import write_text
from semilar.photo import data_address, read, to_depth

_PAGE = Path(__file__).with_name("page.html")
_SIDE, _MAP_SIDE = 800, 400  # pixels of the longer side of a picture and of an error map
_NAMES = {**ROLE_NAMES, "truth": "ground truth"}


def write_report(
    evaluation: Evaluation,
    summary: Summary,
    target: Path,
    *,
    title: str,
    mark: str,
    pictures: int,
    progress: Callable[[], None] = lambda: None,
) -> None:
    """Write the page to `target`, with up to `pictures` pictures, the worst first."""
    cards = []
    shown = chosen(summary.ranking, pictures)
    for i in shown:
        cards.append(_card(evaluation, i))
        progress()
    page = _PAGE.read_text(encoding="utf-8")
    parts = {
        "TITLE": escape(title),
        "SUBJECT": escape(mark),
        "COUNT": f"{summary.count} picture{'s' if summary.count != 1 else ''}",
        "VERSION": escape(__version__),
        "RANKED_BY": escape(summary.ranked_by),
        "RANGE": str(RANGE),
        "MEANS": _means(summary) + "".join(_differences(summary, r) for r in summary.differences),
        "CARDS": "\n".join(cards),
        "ROWS": _rows_table(evaluation, set(shown)),
    }
    for name, value in parts.items():
        page = page.replace(f"<!--{name}-->", value)
    write_text(target, page)


def chosen(ranking: list[int], limit: int) -> list[int]:
    """The worst ten, then pictures evenly spread over the rest of the ranking."""
    worst, rest = ranking[: min(WORST, limit)], ranking[WORST:]
    room = min(max(limit - len(worst), 0), len(rest))
    places = np.linspace(0, len(rest) - 1, room).round().astype(int) if room else []
    return worst + [rest[i] for i in places]


def _card(evaluation: Evaluation, index: int) -> str:
    picture = evaluation.pictures[index]
    pixels = {
        role: to_depth(read(picture.files[role]).pixels, 8) for role in (*evaluation.roles, "truth")
    }
    name, height, width = escape(picture.name), *pixels["truth"].shape[:2]
    lefts = [role for role in ("untouched", "baseline", "truth") if role in pixels]
    layers = "".join(
        f'<img class="left" data-role="{role}" alt="{_NAMES[role]} of {name}" '
        f'src="{data_address(pixels[role], side=_SIDE)}"{"" if role == lefts[0] else " hidden"}>'
        for role in lefts
    )
    choices = "".join(
        f'<label><input type="radio" name="left-{index}" value="{role}"'
        f"{' checked' if role == lefts[0] else ''}> {_NAMES[role]}</label>"
        for role in lefts
    )
    maps = "".join(
        f'<figure><img loading="lazy" alt="error of the {_NAMES[role]} of {name}" '
        f'src="{data_address(error_map(pixels[role], pixels["truth"]), side=_MAP_SIDE)}">'
        f"<figcaption>error of the {_NAMES[role]}</figcaption></figure>"
        for role in evaluation.roles
    )
    return f"""<article class="card" id="picture-{index}">
<h3>{name}</h3>
<div class="compare" style="aspect-ratio:{width}/{height}">
<img alt="result of {name}" src="{data_address(pixels["result"], side=_SIDE)}">{layers}
<span class="tag tag-left">{_NAMES[lefts[0]]}</span><span class="tag tag-right">result</span>
<input type="range" min="0" max="100" step="0.5" value="50"
 aria-label="{name}: how much of the left picture is shown" aria-valuetext="50 %">
</div>
<fieldset><legend>left side</legend>{choices}</fieldset>
{_numbers(evaluation.rows[index])}
<div class="maps">{maps}</div>
</article>"""


def _numbers(rows: dict[str, Values]) -> str:
    head = "".join(f'<th scope="col">{_NAMES[role]}</th>' for role in rows)
    body = "".join(
        f'<tr><th scope="row">{escape(metric(key).label)}</th>'
        + "".join(f"<td>{number(row[key], key)}</td>" for row in rows.values())
        + "</tr>"
        for key in rows["result"]
    )
    return f'<div class="scroll"><table class="small"><tr><td></td>{head}</tr>{body}</table></div>'


def _means(summary: Summary) -> str:
    head = "".join(f'<th scope="col">{_NAMES[role]}</th>' for role in summary.means)
    body = "".join(
        f'<tr><th scope="row">{escape(metric(key).label)}</th>'
        + "".join(f"<td>{_mean(means.get(key), key)}</td>" for means in summary.means.values())
        + "</tr>"
        for key in summary.metrics
    )
    return (
        '<div class="scroll"><table><caption>Means with 95 % bootstrap intervals</caption>'
        f"<tr><td></td>{head}</tr>{body}</table></div>"
    )


def _differences(summary: Summary, role: str) -> str:
    body = "".join(
        f'<tr><th scope="row">{escape(metric(key).label)}</th>'
        f"<td>{_mean(difference.mean, key, signed=True)}</td>"
        f"<td>{difference.better} of {difference.mean.count}</td><td>{difference.p:.4f}</td></tr>"
        for key, difference in summary.differences[role].items()
    )
    return (
        f'<div class="scroll"><table><caption>Result minus {_NAMES[role]}</caption><tr><td></td>'
        '<th scope="col">mean</th><th scope="col">better in</th>'
        f'<th scope="col">p (paired)</th></tr>{body}</table></div>'
    )


def _rows_table(evaluation: Evaluation, shown: set[int]) -> str:
    columns = [(role, key) for key in evaluation.metrics for role in evaluation.roles]
    headings = [(f"PSNR gain over {_NAMES[role]}", "result") for role in evaluation.others]
    headings += [(metric(key).label, _NAMES[role]) for role, key in columns]
    head = "".join(
        '<th scope="col" aria-sort="none"><button type="button">'
        f"{escape(label)}<small>{series}</small></button></th>"
        for label, series in headings
    )
    body = []
    for i, (picture, row) in enumerate(zip(evaluation.pictures, evaluation.rows, strict=True)):
        name = escape(picture.name)
        label = f'<a href="#picture-{i}">{name}</a>' if i in shown else name
        gains = [evaluation.difference(i, role)["psnr"] for role in evaluation.others]
        cells = "".join(_cell(gain, "psnr", signed=True) for gain in gains)
        cells += "".join(_cell(row[role][key], key) for role, key in columns)
        body.append(f'<tr><th scope="row" data-value="{name}">{label}</th>{cells}</tr>')
    return (
        '<thead><tr><th scope="col" aria-sort="ascending"><button type="button">picture</button>'
        f"</th>{head}</tr></thead><tbody>{''.join(body)}</tbody>"
    )


def _cell(value: float | None, key: str, *, signed: bool = False) -> str:
    sortable = "" if value is None else repr(float(value)).replace("inf", "Infinity")
    return f'<td data-value="{sortable}">{number(value, key, signed=signed)}</td>'


def _mean(mean: Mean | None, key: str, *, signed: bool = False) -> str:
    if mean is None or not mean.count:
        return "–"
    low, high = number(mean.low, key, signed=signed), number(mean.high, key, signed=signed)
    return f"{number(mean.value, key, signed=signed)} <small>{low} … {high}</small>"
