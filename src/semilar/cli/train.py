"""`semilar train`: train a network as a recipe says."""

import os
import time
from typing import Annotated, Any

import typer

from semilar.cli.console import Exit, command, complain, detail, err, out, progress, say
from semilar.recipes import recipe_names


class ProgressDisplay:
    """A bar on a terminal; elsewhere a line every half minute."""

    def __init__(self, *, pause: float = 30.0) -> None:
        self._bar, self._task = progress(), None
        self._pause, self._last = pause, 0.0
        self._gain = ""

    def begin(self, steps: int, done: int) -> None:
        """Show a run of so many steps, some of them done before."""
        self._bar.start()
        self._task = self._bar.add_task("training", total=steps, completed=done)

    def end(self) -> None:
        """Take the bar away."""
        self._bar.stop()

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        say(text)

    def show(self, step: int, figures: dict[str, Any]) -> None:
        """Show the figures of a step."""
        from semilar.train import summary

        text = summary(figures)
        if self._task is not None:
            self._bar.update(self._task, completed=step, description=text)
        if not err.is_terminal and time.monotonic() - self._last >= self._pause:
            self._last = time.monotonic()
            say(f"step {step}  {text}")


@command
def train(
    recipe: Annotated[
        str,
        typer.Argument(help=f"A recipe file, or one of the package: {', '.join(recipe_names())}."),
    ],
    changes: Annotated[
        list[str] | None, typer.Argument(help="Changes, such as optimizer.lr=1e-3.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the recipe's folder.")
    ] = False,
    max_minutes: Annotated[
        float | None, typer.Option(help="End cleanly after so many minutes.", min=0)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would run, and train nothing.")
    ] = False,
) -> None:
    """Train a network as a recipe says, with unlabeled photos where it names some.

    Ctrl-C, SIGTERM and the end of --max-minutes write a checkpoint and end cleanly; --resume goes
    on exactly where a run stopped.

    Examples:

      semilar train desk labeled.backgrounds.folder=~/Pictures --max-minutes 10

      semilar train desk --resume

      semilar train own-photos semi.photos.folder=~/Flared --dry-run

      torchrun --nproc-per-node 2 --no-python semilar train paper
    """
    from semilar.extras import load_extra

    # Threads that wait for one another spin by default and starve the processes that make data.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    for module in ("torch", "lightning_fabric", "pydantic", "yaml"):
        load_extra(module, "train")
    from semilar.train import load_recipe

    values = load_recipe(recipe, changes or [])
    if dry_run:
        _dry_run(values)
        return
    _train(values, resume=resume, max_minutes=max_minutes)


def _dry_run(recipe: Any) -> None:
    from semilar.train import dump_recipe, preview_lines

    out.print(dump_recipe(recipe), markup=False)
    for line in preview_lines(recipe):
        out.print(line, markup=False)


def _train(recipe: Any, *, resume: bool, max_minutes: float | None) -> None:
    from semilar.train import train as run

    display = ProgressDisplay()
    try:
        ending = run(recipe, resume=resume, max_minutes=max_minutes, display=display)
    finally:
        display.end()
    if ending.rank:
        return
    detail(f"last validation: {ending.validation}")
    if ending.reason is not None:
        say(
            f"Stopped after step {ending.step} of {ending.steps} ({ending.reason});"
            f" a checkpoint is in {recipe.run}. Add --resume to go on."
        )
        return
    say(f"Done: {ending.steps} steps in {recipe.run}.")
    if ending.best is None:
        complain("The recipe has no validation sets, so no best weights were chosen.")
    elif ending.best_step == 0:
        complain(
            f"{recipe.run}: nothing was better than the weights that it began with"
            f" ({ending.best:+.2f}), so there is no best.safetensors; keep using those."
        )
        raise typer.Exit(Exit.SOME_FAILED)
    else:
        more = "" if ending.began is None else f", {ending.best - ending.began:+.2f} by training"
        say(
            f"Best at step {ending.best_step}: {ending.best:+.2f}{more};"
            f" {recipe.run}/best.safetensors"
        )
