"""`semilar demo`: the main job on pictures that the program makes itself."""

from pathlib import Path
from typing import Annotated

import typer

from semilar.cli.console import command, out, progress
from semilar.errors import OutputExistsError

SIZE = 640, 960
SEEDS = (3, 12, 13)
STRENGTH = 1.6, 2.4
CAST = 0.1
FOLDERS = {"untouched": "input", "truth": "clean", "result": "result"}


@command
def demo(
    out_dir: Annotated[
        Path, typer.Option("--out", help="Folder for the pictures and the page.")
    ] = Path("semilar-demo"),
    force: Annotated[bool, typer.Option("--force", help="Replace an earlier demo.")] = False,
) -> None:
    """Draw night pictures with simulated flare, take the flare out, show before and after.

    Example: semilar demo --out demo
    """
    from semilar.cli.evaluate import measure_and_report
    from semilar.evaluate import pair_folders

    page, picture = out_dir / "index.html", out_dir / "before-after.jpg"
    if page.exists() and not force:
        raise OutputExistsError(f"{page}: already exists.")
    make_pictures(out_dir)
    _remove_flare(out_dir, picture)
    measure_and_report(
        pair_folders({role: out_dir / folder for role, folder in FOLDERS.items()}),
        title="semilar demo: drawn night scenes with simulated flare",
        mark="demo",
        lpips=False,
        jobs=1,
        out_dir=None,
        report=page,
        report_pictures=len(SEEDS),
        tables=True,
    )
    out.print(f"Before and after (drawn scenes, no photographs): {picture}", markup=False)


def make_pictures(folder: Path) -> None:
    """Night scenes without and with flare, below `folder`."""
    from dataclasses import replace

    import numpy as np

    from semilar.flare import SynthSettings, night_scene, synthesize
    from semilar.photo import Photo, write

    smeared = SynthSettings.preset("smeared")
    dark_already = replace(smeared.background.night, probability=0.0)
    flared = replace(
        smeared,
        background=replace(smeared.background, cast=CAST, temperature=0.0, night=dark_already),
        camera=SynthSettings().camera,
        lens=replace(smeared.lens, strength=STRENGTH, extreme=0.0),
    )
    with progress() as bar:
        for number, seed in enumerate(bar.track(SEEDS, description="Making night pictures"), 1):
            sample = synthesize(night_scene(seed, SIZE), seed=seed, settings=flared, size=SIZE)
            for role, encoded in (("untouched", sample.input), ("truth", sample.target)):
                pixels = np.rint(encoded * 255).astype(np.uint8)
                target = folder / FOLDERS[role] / f"night-{number}.png"
                write(Photo(pixels=pixels), target, force=True)


def _remove_flare(folder: Path, picture: Path) -> None:
    """Restore the flared pictures; `picture` shows all of them before and after."""
    import numpy as np

    from semilar import Remover
    from semilar.photo import Photo, find_photos, write
    from semilar.restore import Restored, ToFiles, from_file, pipe, with_remover

    restore = with_remover(Remover())
    rows = []

    def sink(restored: Restored) -> None:
        ToFiles(scene=folder / FOLDERS["result"] / file.name, force=True)(restored)
        rows.append(restored.picture("compare").pixels)

    with progress() as bar:
        files = find_photos(folder / FOLDERS["untouched"])
        for file in bar.track(files, description="Taking the flare out"):
            pipe(from_file(file), restore, sink)
    write(Photo(pixels=np.vstack(rows)), picture, force=True)
