"""What a run would be, without running it: data, parameters, memory and time."""

import sys
import time

import torch

from semilar.loss import total
from semilar.train.feed import Batches
from semilar.train.loop import place_batch
from semilar.train.network import build_net, make_optimizer
from semilar.train.objective import labeled_terms
from semilar.train.plan import Stretch
from semilar.train.recipe import Recipe
from semilar.train.sources import find_sources
from semilar.train.start import make_plan


def preview_lines(recipe: Recipe) -> list[str]:
    """Lines about a run: what it would read, how large it is, how long it would take.

    One labeled batch of each stage is made and trained on for the estimate (without the
    perceptual term); nothing is written.
    """
    lines: list[str] = []
    sources = find_sources(recipe, tell=lines.append)
    plan = make_plan(recipe, sources)
    counts = {name: len(files) for name, files in sources.manifest.items()}
    lines.append("data: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    if recipe.machine.threads:
        torch.set_num_threads(recipe.machine.threads)
    net = build_net(recipe)
    parameters = sum(p.numel() for p in net.parameters())
    lines.append(f"network: {recipe.net.name}, {parameters / 1e6:.2f} M parameters")
    batches = Batches(plan, sources.labeled, None, seed=recipe.seed)
    whole = 0.0
    for stretch in plan.stretches:
        making, training = _measure(recipe, net, batches, stretch)
        # Data are made beside the training, by as many workers as the recipe has.
        batch = max(training, making / max(1, recipe.machine.workers))
        seconds = batch * stretch.all_batches
        whole += seconds
        lines.append(
            f"stage {stretch.index}: {stretch.steps} steps of {stretch.stage.batch} x"
            f" {stretch.stage.accumulate} pictures of {stretch.stage.crop}²;"
            f" {training:.2f} s to train on a batch, {making:.2f} s to make it;"
            f" about {_duration(seconds)}"
        )
    lines.append(f"all: {plan.steps} steps, {plan.epochs:.1f} epochs, about {_duration(whole)}")
    lines.append(f"memory: {_memory(parameters)}")
    return lines


def batch_seconds(recipe: Recipe) -> float:
    """CPU seconds of this process for an optimizer step on a labeled batch of the first stage."""
    sources = find_sources(recipe.model_copy(update={"semi": None}))
    plan = make_plan(recipe.model_copy(update={"semi": None}), sources)
    if recipe.machine.threads:
        torch.set_num_threads(recipe.machine.threads)
    batches = Batches(plan, sources.labeled, None, seed=recipe.seed)
    batch = place_batch(batches[0], torch.device("cpu"), recipe.machine.channels_last)
    net, times = build_net(recipe), []
    optimizer = make_optimizer(net, recipe.optimizer)
    for _ in range(3):
        began = time.process_time()
        total(labeled_terms(net, batch, recipe.loss, None, share=1.0)).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        times.append(time.process_time() - began)
    return min(times)


def _measure(
    recipe: Recipe, net: torch.nn.Module, batches: Batches, stretch: Stretch
) -> tuple[float, float]:
    """Seconds to make one batch of a stage and to train on it, the second time each."""
    times = (0.0, 0.0)
    for number in (stretch.first_batch, stretch.first_batch + min(1, stretch.all_batches - 1)):
        began = time.perf_counter()
        batch = place_batch(batches[number], torch.device("cpu"), recipe.machine.channels_last)
        made = time.perf_counter()
        total(labeled_terms(net, batch, recipe.loss, None, share=1.0)).backward()
        net.zero_grad(set_to_none=True)
        times = made - began, time.perf_counter() - made
    return times


def _memory(parameters: int) -> str:
    peak = _peak_gib()
    if peak is None:
        return f"{_state_gib(parameters):.1f} GiB and the pictures; not measured on this system"
    return f"about {peak + _state_gib(parameters):.1f} GiB"


def _peak_gib() -> float | None:
    """The most memory this process has had; None on Windows."""
    try:
        import resource
    except ModuleNotFoundError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**30 if sys.platform == "darwin" else 2**20)  # bytes there, KiB elsewhere


def _state_gib(parameters: int) -> float:
    """Gradients, two moments of the optimizer and the teacher."""
    return 4 * parameters * 4 / 2**30


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
