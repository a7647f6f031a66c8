"""`semilar benchmark`: restore a test set with a model and measure the result, in one go."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semilar.cli.console import command, print_json, progress, say
from semilar.cli.evaluate import check_targets, measure_and_report, wants_lpips
from semilar.cli.options import AsJson, Lpips, PicturesAtATime, ReportPictures

if TYPE_CHECKING:
    from semilar.evaluate import Series, TestSet

Measured = Annotated[
    str, typer.Option(help="A bundled model, a model file, or `none` (leave as it is).")
]
DataDir = Annotated[
    Path, typer.Option(help="Folder of Flare7K++, FlareX, FlareReal600, or any input/gt pair.")
]
OutDir = Annotated[
    Path | None,
    typer.Option("--out", help="Folder for results (benchmark-MODEL); a stopped run goes on."),
]
WithReport = Annotated[
    bool, typer.Option("--report", help="Also write report.html for every test set.")
]
ModelEngine = Annotated[
    str | None, typer.Option(help="What runs the model, as in `semilar remove`.")
]
Raw = Annotated[
    bool,
    typer.Option(
        "--raw",
        help="Measure the network alone, once, at each picture's own size, as papers do.",
    ),
]
Replace = Annotated[bool, typer.Option("--force", help="Replace what --out holds.")]


@command
def benchmark(
    model: Measured,
    data: DataDir,
    out_dir: OutDir = None,
    report: WithReport = False,
    report_pictures: ReportPictures = 24,
    engine: ModelEngine = None,
    raw: Raw = False,
    lpips: Lpips = None,
    jobs: PicturesAtATime = 0,
    as_json: AsJson = False,
    force: Replace = False,
) -> None:
    """Restore every picture of a test set with a model and measure it against the ground truth.

    All test sets below the folder are found (input with gt and mask beside it) and measured one by
    one, always next to the untouched input. Restored pictures are kept as PNG.

    Examples:

    semilar benchmark --model none --data Flare7Kpp/test_data

    semilar benchmark --model my-model.onnx --data FlareReal600 --out out/real600 --report

    semilar benchmark --model flare7kpp --data Flare7Kpp/test_data/real --raw
    """
    from semilar.evaluate import claim_folder, find_sets, subject_mark

    sets = find_sets(data)
    place = out_dir or Path(f"benchmark-{Path(model).stem}{'-raw' if raw else ''}")
    folders = {each.name: place / each.name for each in sets}
    about: dict[str, object] = {"raw": True} if raw else {}
    about |= {"data": data.resolve(), "model": model}
    marks = {each.name: subject_mark(name=each.name, **about) for each in sets}
    for name, folder in folders.items():
        page = folder / "report.html" if report else None
        check_targets(folder, page, mark=marks[name], force=force)
    claim_folder(place, model=model, engine=engine, force=force, raw=raw)
    with_lpips = wants_lpips(lpips)
    results = {}
    for each in sets:
        folder = folders[each.name]
        results[each.name] = measure_and_report(
            _restore(each, folder, model=model, engine=engine, jobs=jobs, force=force, raw=raw),
            title=f"{model}{', raw,' if raw else ''} on {each.name}",
            mark=marks[each.name],
            lpips=with_lpips,
            jobs=jobs,
            out_dir=folder,
            report=folder / "report.html" if report else None,
            report_pictures=report_pictures,
            tables=not as_json,
        )
    if as_json:
        print_json(results)


def _restore(each: "TestSet", folder: Path, *, jobs: int, **how: Any) -> list["Series"]:
    """The pictures of one test set with their restored versions, made where they are not there."""
    from semilar.evaluate import restore_pictures
    from semilar.threads import cores

    if each.masks and not each.has_regions:
        say(f"{each.masks}: not in the published colour code; what is white is left out.")
    pictures = each.pictures()
    with progress() as bar:
        task = bar.add_task(f"Restoring {each.name}", total=len(pictures))
        return restore_pictures(
            pictures,
            folder / "restored",
            jobs=jobs or cores(),
            progress=partial(bar.advance, task),
            **how,
        )
