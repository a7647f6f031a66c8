"""`semilar evaluate`: restored pictures against their ground truth."""

from pathlib import Path
from typing import Annotated, Any

import typer

from semilar.cli.console import command, out, print_json, progress, say
from semilar.cli.options import AsJson, Lpips, PicturesAtATime, ReportPictures
from semilar.errors import SemilarError

InputDir = Annotated[Path, typer.Option(help="Folder of the pictures to measure.")]
TruthDir = Annotated[Path, typer.Option(help="Folder of the true pictures without flare.")]
MaskDir = Annotated[Path | None, typer.Option(help="Folder of masks in the published colour code.")]
LeaveOutDir = Annotated[
    Path | None, typer.Option(help="Folder of masks whose white does not count (FlareX).")
]
UntouchedDir = Annotated[
    Path | None, typer.Option(help="Folder of the pictures with flare, to compare with.")
]
BaselineDir = Annotated[
    Path | None, typer.Option(help="Folder of another method's pictures, to compare with.")
]
OutDir = Annotated[
    Path | None,
    typer.Option("--out", help="Folder for evaluation.json and .csv; a stopped run goes on."),
]
ReportFile = Annotated[
    Path | None, typer.Option(help="One HTML page with sliders, error maps and numbers.")
]
Replace = Annotated[
    bool, typer.Option("--force", help="Replace other files at --out and --report.")
]


@command
def evaluate(
    input: InputDir,
    gt: TruthDir,
    mask: MaskDir = None,
    leave_out: LeaveOutDir = None,
    untouched: UntouchedDir = None,
    baseline: BaselineDir = None,
    out_dir: OutDir = None,
    report: ReportFile = None,
    report_pictures: ReportPictures = 24,
    lpips: Lpips = None,
    jobs: PicturesAtATime = 0,
    as_json: AsJson = False,
    force: Replace = False,
) -> None:
    """Measure restored pictures against their ground truth: PSNR, SSIM, LPIPS, G-PSNR, S-PSNR.

    Pictures are paired by name (gt_7.png, input_7.png and 7.jpg belong together). Means come with
    95 % bootstrap intervals, comparisons with a paired permutation test. Run again, it measures
    what has changed and replaces its own results.

    Examples:

    semilar evaluate --input restored --gt test/gt --mask test/mask

    semilar evaluate --input ours --gt gt --untouched flare --baseline theirs --report r.html
    """
    from semilar.evaluate import pair_folders, subject_mark

    folders = {"result": input, "truth": gt, "mask": mask, "left_out": leave_out}
    folders |= {"untouched": untouched, "baseline": baseline}
    given = {role: path for role, path in folders.items() if path is not None}
    mark = subject_mark(**{role: path.resolve() for role, path in given.items()})
    check_targets(out_dir, report, mark=mark, force=force)
    pictures = pair_folders(given)
    facts = measure_and_report(
        pictures,
        title=str(input),
        mark=mark,
        lpips=lpips,
        jobs=jobs,
        out_dir=out_dir,
        report=report,
        report_pictures=report_pictures,
        tables=not as_json,
    )
    if as_json:
        print_json(facts)


def measure_and_report(
    pictures: list[Any],
    *,
    title: str,
    mark: str,
    lpips: bool | None,
    jobs: int,
    out_dir: Path | None,
    report: Path | None,
    report_pictures: int,
    tables: bool,
) -> dict[str, Any]:
    """Measure, print and write; shared with `semilar benchmark`. Gives the result as JSON."""
    from semilar.evaluate import as_json, evaluate, summarize, write_results
    from semilar.threads import cores

    with_lpips = wants_lpips(lpips)
    journal = out_dir / "rows.jsonl" if out_dir else None
    with progress() as bar:
        task = bar.add_task("Measuring", total=len(pictures))
        evaluation = evaluate(
            pictures,
            with_lpips=with_lpips,
            jobs=jobs or cores(),
            journal=journal,
            progress=lambda: bar.advance(task),
        )
    summary = summarize(evaluation)
    facts = as_json(evaluation, summary, mark=mark)
    if tables:
        _print_tables(evaluation, summary, title)
    if out_dir:
        written = write_results(out_dir, evaluation, facts)
        say(f"Written: {', '.join(map(str, written))}")
    if report:
        _write_page(evaluation, summary, report, title, mark, pictures=report_pictures)
    return facts


def _write_page(
    evaluation: Any, summary: Any, target: Path, title: str, mark: str, *, pictures: int
) -> None:
    from semilar.evaluate import write_report

    with progress() as bar:
        task = bar.add_task("Drawing the page", total=min(pictures, summary.count))
        write_report(
            evaluation,
            summary,
            target,
            title=title,
            mark=mark,
            pictures=pictures,
            progress=lambda: bar.advance(task),
        )
    say(f"Written: {target}")


def check_targets(out_dir: Path | None, report: Path | None, *, mark: str, force: bool) -> None:
    """Say before the work, not after it, that something else would be overwritten.

    What an earlier run about the same subject wrote is replaced: it is made of the same folders.
    """
    from semilar.evaluate import check_free

    targets = [out_dir / "evaluation.json"] if out_dir else []
    for target in [*targets, *([report] if report else [])]:
        if not force:
            check_free(target, mark)


def wants_lpips(asked: bool | None) -> bool:
    """Asked for: it must work. Not asked: it is left out with a note where it cannot."""
    from semilar.quality import check_lpips

    if asked is False:
        return False
    try:
        check_lpips()
    except SemilarError as error:
        if asked:
            raise
        say(f"LPIPS is left out. {error}")
        return False
    return True


def _print_tables(evaluation: Any, summary: Any, title: str) -> None:
    from semilar.evaluate import differences_table, means_table, worst_table

    count = f"{summary.count} picture{'s' if summary.count != 1 else ''}"
    heading = f"{title}: {count}, mean and 95 % interval".replace("[", r"\[")
    shown = [means_table(summary, title=heading)]
    shown += [differences_table(summary, role) for role in summary.differences]
    shown += [worst_table(evaluation, summary)] if summary.count > 1 else []
    for table in shown:
        out.print(table)
        out.print()
