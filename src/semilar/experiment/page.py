"""Everything that was measured as one page, with its figures beside it."""

import re
from pathlib import Path

from semilar.experiment.definition import Table, experiments
from semilar.experiment.study import Study, named
from semilar.experiment.tables import as_markdown
from semilar.files import write_text

_DESK = (
    "Networks, pictures and training here are far smaller than the paper's, and the pictures are"
    " simulated ones: compare the differences between rows with the paper's, not the heights."
)
_MARK = "<!-- experiment: {} -->"


def section(study: Study, name: str, figures: Path | None) -> str:
    """An experiment as Markdown; figures are drawn into a folder, where one is given."""
    experiment = named(name)[name]
    where = experiment.source
    origin = f"Paper: `{where}`. " if ":" in where else ""
    about = f"{origin}Test set: `{experiment.test}`. `semilar experiment run {name}`"
    lines = [_MARK.format(name), f"## {experiment.title}", ""]
    lines += [about + f" `--scale {study.scale_name}`."]
    rows = study.results(experiment)
    if isinstance(experiment, Table):
        lines += ["", as_markdown(experiment, rows, root=study.root)]
    elif figures is not None:
        from semilar.experiment.figures import draw

        drawn, reason = draw(experiment, rows, figures / f"{name}-{study.scale_name}")
        reasons = [f"- {row.row.name}: {row.reason}" for row in rows if row.reason]
        place = f"{figures.parent.name}/{figures.name}"
        shown = f"![{experiment.title}]({place}/{drawn.name})" if drawn else f"*{reason}*"
        lines += ["", shown, *(["", *reasons] if reasons else [])]
    else:
        lines += ["", "A figure: `--out FILE.md` draws it beside the file."]
    return "\n".join(lines) + "\n"


def results_page(study: Study, name: str, out: Path | None) -> str:
    """The sections asked for, written to `out`, where one is given.

    Figures go to `images` beside it. Sections that `out` has of the same scale stay as they are.
    """
    figures = None if out is None else out.parent / "images" / out.stem
    head = _head(study.scale_name)
    found = _sections(out, head) | {one: section(study, one, figures) for one in named(name)}
    text = head + "\n".join(found[one] for one in experiments() if one in found)
    if out is not None:
        write_text(out, text)
    return text


def _head(scale: str) -> str:
    remark = "" if scale == "paper" else f"\n{_DESK}\n"
    return (
        f"# Results\n\n`semilar experiment table all --scale {scale}`: means over seeds and"
        " pictures, 95 % bootstrap intervals over both, and the paper's number with the difference."
        f"\n{remark}\n"
    )


def _sections(page: Path | None, head: str) -> dict[str, str]:
    """The sections of a page that was written before, by experiment."""
    text = page.read_text(encoding="utf-8") if page is not None and page.is_file() else ""
    if not text.startswith(head):
        return {}
    _, *parts = re.split(f"^{_MARK.format('(.+)')}$", text, flags=re.MULTILINE)
    return {
        name: f"{_MARK.format(name)}\n{body.strip()}\n"
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }
