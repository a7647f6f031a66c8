"""`semilar synth`: labeled pairs out of photographs without flare."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semilar.cli.console import Exit, command, complain, out, print_json, progress, say
from semilar.cli.options import AsJson
from semilar.threads import cores

if TYPE_CHECKING:
    from semilar.flare import SynthPlan


Target = Annotated[Path, typer.Option("--out", help="Folder to write to.", show_default=False)]
Backgrounds = Annotated[
    Path | None,
    typer.Option(help="Folder of photographs without flare; left out, built-in pictures."),
]
Count = Annotated[int, typer.Option("-n", "--count", min=1, help="How many samples.")]
Patterns = Annotated[
    Path | None,
    typer.Option(help="Flare7K, Flare7K++ or FlareX folder, or own flares on black."),
]
Size = Annotated[int, typer.Option(min=32, help="Side of the square pictures.")]
Seed = Annotated[int, typer.Option(min=0, help="Another seed, other pictures.")]
Preset = Annotated[
    str | None,
    typer.Option(help="realistic (default), strong, protocol (default with --patterns), ..."),
]
Again = Annotated[
    Path | None, typer.Option(help="Make what this manifest describes, byte for byte.")
]
SamplesAtATime = Annotated[
    int, typer.Option("-j", "--workers", min=0, help="Samples at a time; 0: all cores.")
]
Sheet = Annotated[bool, typer.Option("--sheet", help="Write a contact sheet too.")]
Force = Annotated[bool, typer.Option("--force", help="Replace what is there.")]


@command
def synth(
    target: Target,
    backgrounds: Backgrounds = None,
    count: Count = 100,
    patterns: Patterns = None,
    size: Size = 512,
    seed: Seed = 1,
    preset: Preset = None,
    again: Again = None,
    jobs: SamplesAtATime = 0,
    sheet: Sheet = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make photographs with simulated lens flare: input, gt, mask and flare folders.

    Interrupted, the same command goes on where it stopped.

    Examples: semilar synth --out pairs -n 20 --sheet
    | semilar synth --backgrounds photos/ --patterns Flare7Kpp/ --out train -n 5000
    | semilar synth --again pairs/manifest.json --out copy
    """
    from semilar.flare import make_samples, prepare_folder, read_manifest, write_sheet

    if again:
        plan = read_manifest(again)
    else:
        plan = _plan(backgrounds, count, patterns, size, seed, preset)
    numbers = prepare_folder(plan, target, force=force)
    if len(numbers) < plan.count:
        say(f"{plan.count - len(numbers)} samples are there already.")
    errors: list[str] = []
    with progress() as bar:
        task = bar.add_task("Making samples", total=len(numbers))
        for outcome in make_samples(plan, target, numbers, jobs or cores()):
            bar.advance(task)
            if outcome.error:
                errors.append(outcome.error)
                complain(f"Sample {outcome.number}: {outcome.error}")
    made = len(numbers) - len(errors)
    drawn = write_sheet(plan, target) if sheet and (made or not numbers) else None
    facts = {"out": str(target), "made": made, "failed": len(errors), "count": plan.count}
    if as_json:
        print_json(facts | {"sheet": str(drawn) if drawn else None, "errors": errors})
    else:
        out.print(f"{target}: {made} samples made.", markup=False)
    if errors:
        raise typer.Exit(Exit.SOME_FAILED if made else Exit.UNUSABLE)


def _plan(
    backgrounds: Path | None,
    count: int,
    patterns: Path | None,
    size: int,
    seed: int,
    preset: str | None,
) -> "SynthPlan":
    from semilar.errors import SemilarError
    from semilar.flare import SynthPlan, SynthSettings
    from semilar.photo import find_photos

    photos = tuple(path.resolve() for path in find_photos(backgrounds)) if backgrounds else ()
    if backgrounds and not photos:
        raise SemilarError(f"{backgrounds}: there are no photographs in this folder.")
    return SynthPlan(
        count=count,
        size=size,
        seed=seed,
        settings=SynthSettings.preset(preset or ("protocol" if patterns else "realistic")),
        backgrounds=photos[:count],
        patterns=patterns.resolve() if patterns else None,
    )
