"""Everything that was measured as one page, with its figures beside it."""

from collections.abc import Callable
from pathlib import Path

from semilar.experiment.definition import Table
from semilar.experiment.study import ALL, Study, named
from semilar.experiment.tables import as_markdown
from semilar.files import write_text

_DESK = (
    "Networks, pictures and training here are far smaller than the paper's, and the pictures are"
    " simulated ones: compare the differences between rows with the paper's, not the heights."
)


def section(study: Study, name: str, figures: Path | None) -> str:
    """An experiment as Markdown; figures are drawn into a folder, where one is given."""
    experiment = named(name)[name]
    where = experiment.source
    origin = f"Paper: `{where}`. " if ":" in where else ""
    about = f"{origin}Test set: `{experiment.test}`. `semilar experiment run {name}`"
    lines = [f"## {experiment.title}", "", about + f" `--scale {study.scale_name}`."]
    rows = study.results(experiment)
    if isinstance(experiment, Table):
        lines += ["", as_markdown(experiment, rows, root=study.root)]
    elif figures is not None:
        from semilar.experiment.figures import draw

        drawn, reason = draw(experiment, rows, figures / f"{name}-{study.scale_name}")
        reasons = [f"- {row.row.name}: {row.reason}" for row in rows if row.reason]
        shown = f"![{experiment.title}]({figures.name}/{drawn.name})" if drawn else f"*{reason}*"
        lines += ["", shown, *(["", *reasons] if reasons else [])]
    else:
        lines += ["", "A figure: `--out FILE.md` draws it beside the file."]
    return "\n".join(lines) + "\n"


def results_page(
    study: Study, name: str, out: Path | None, tell: Callable[[str], None] = lambda _: None
) -> str:
    """All sections; written to `out`, where one is given, with figures in a folder beside it."""
    figures = None if out is None else out.with_suffix("")
    parts = []
    for one in named(name):
        tell(one)
        parts.append(section(study, one, figures))
    title = "Results" if name == ALL else f"Results: {name}"
    scale = "" if study.scale_name == "paper" else f"\n{_DESK}\n"
    head = (
        f"# {title}\n\n`semilar experiment table {name} --scale {study.scale_name}`: means over"
        " seeds and pictures, 95 % bootstrap intervals over both, and the paper's number with the"
        f" difference.\n{scale}\n"
    )
    text = head + "\n".join(parts)
    if out is not None:
        write_text(out, text)
    return text
