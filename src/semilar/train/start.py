"""Putting a run together: network, data, losses, repository, and what a checkpoint says."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from textwrap import shorten
from typing import Any, cast

import lightning_fabric
import torch
from torch import nn

from semilar.errors import SemilarError
from semilar.loss import Features, vgg16
from semilar.quality.scorers import Scorer
from semilar.quality.scorers import scorer as scorer_by_name
from semilar.semi import (
    PseudoLabeler,
    Repository,
    Teacher,
    TrueScenes,
    UnsupervisedLoss,
    reshard,
    shard_path,
)
from semilar.train.checkpoint import Checkpoint, load_newest
from semilar.train.display import Display, Silent
from semilar.train.feed import Batches, Unlabeled, owned_photos
from semilar.train.logbook import Logbook
from semilar.train.loop import Trainer, TrainingProgress
from semilar.train.network import build_net, initial_weights, make_optimizer
from semilar.train.plan import TrainingPlan
from semilar.train.recipe import Recipe
from semilar.train.run_folder import RunFolder
from semilar.train.sources import Sources, find_sources
from semilar.train.stopping import Stopper
from semilar.train.validation import load_cases
from semilar.train.weights_file import origin_card

CHANGE_LENGTH = 200  # characters of a change that are shown: a stage has thousands


@dataclass(frozen=True)
class Ending:
    """How a run ended: the step it reached, why it stopped early (or None), its last figures."""

    step: int
    steps: int
    reason: str | None
    validation: dict[str, Any]
    best: float | None
    best_step: int | None
    began: float | None = None
    """What `best` was before the first step, where the recipe has measured that."""
    rank: int = 0
    """The process that says so, in a distributed run."""


def train(
    recipe: Recipe,
    *,
    resume: bool = False,
    max_minutes: float | None = None,
    display: Display | None = None,
    features: Features | None = None,
    scorer: Scorer | None = None,
    fabric: lightning_fabric.Fabric | None = None,
) -> Ending:
    """Train as the recipe says, in its run folder.

    Args:
        resume: go on with the run that the folder holds.
        max_minutes: end cleanly after so many minutes, with a checkpoint.
        display: what shows progress.
        features: a feature extractor to use instead of VGG16.
        scorer: a no-reference scorer to use instead of the recipe's.
        fabric: a launched Fabric to run on; by default the recipe's machine.
    """
    stopper = Stopper(max_minutes=max_minutes)
    fabric = fabric or make_fabric(recipe)
    display = display if display is not None and fabric.global_rank == 0 else Silent()
    folder = RunFolder(recipe.run)
    if fabric.global_rank == 0:
        folder.begin(resume=resume)
    fabric.barrier()
    with stopper:
        try:
            sources = find_sources(recipe, tell=display.say)
            trainer = prepare(
                recipe, folder, fabric, sources, display, features, scorer, resume=resume
            )
        except BaseException:
            if not resume and fabric.global_rank == 0:
                folder.discard()
            raise
        try:
            reason = trainer.fit(stopper)
        except OSError as error:  # a full disk, a folder that went away
            raise SemilarError(
                f"{recipe.run}: cannot be written ({error}); resume from the last checkpoint."
            ) from error
        return _ending(trainer, reason)


def _ending(trainer: Trainer, reason: str | None) -> Ending:
    progress = trainer.progress
    if trainer.logbook is not None:
        trainer.logbook.close()
    if trainer.labeler is not None and trainer.labeler.repository is not None:
        trainer.labeler.repository.close()
    return Ending(
        progress.step,
        trainer.plan.steps,
        reason,
        progress.validation,
        progress.best,
        progress.best_step,
        progress.began,
        trainer.fabric.global_rank,
    )


def make_fabric(recipe: Recipe) -> lightning_fabric.Fabric:
    """Fabric on the recipe's machine, launched."""
    machine = recipe.machine
    if machine.threads:
        torch.set_num_threads(machine.threads)
    fabric = lightning_fabric.Fabric(
        accelerator=machine.accelerator,
        devices=machine.devices,
        num_nodes=machine.nodes,
        strategy=machine.strategy,
        precision=machine.precision,
    )
    fabric.launch()
    return fabric


def prepare(
    recipe: Recipe,
    folder: RunFolder,
    fabric: lightning_fabric.Fabric,
    sources: Sources,
    display: Display,
    features: Features | None,
    scorer: Scorer | None,
    *,
    resume: bool,
) -> Trainer:
    """A trainer that stands where the run's newest checkpoint left it, or at the start."""
    check_batches(recipe, fabric.world_size)
    checkpoint = _checkpoint(folder, display) if resume else None
    net = build_net(recipe, checkpoint)
    teacher = Teacher(net, momentum=recipe.teacher_momentum)
    optimizer = make_optimizer(net, recipe.optimizer)
    seen = compiled(net) if recipe.machine.compile else net
    model, optimizer = fabric.setup(seen, optimizer)
    teacher.net.to(fabric.device)
    progress = _restore(checkpoint, net, teacher, optimizer)
    plan = make_plan(recipe, sources)
    features = features or _features(recipe, fabric.device)
    labeler = None
    if recipe.semi:
        labeler = _labeler(recipe, folder, fabric, sources, progress.step, scorer)
    first = fabric.global_rank == 0
    if first:
        for change in folder.describe(recipe, sources.manifest):
            short = shorten(change, CHANGE_LENGTH, placeholder=" …")  # run.json has the whole
            display.say(f"changed since the last start: {short}")
    return Trainer(
        recipe=recipe,
        folder=folder,
        fabric=fabric,
        plan=plan,
        batches=_batches(recipe, plan, sources, fabric),
        net=net,
        model=model,
        optimizer=optimizer,
        teacher=teacher,
        features=features,
        unsupervised=UnsupervisedLoss(semi=recipe.semi, features=features) if recipe.semi else None,
        labeler=labeler,
        cases=load_cases(recipe) if first else {},
        display=display,
        logbook=_logbook(recipe, folder, progress.step) if first else None,
        progress=progress,
        origin=origin_card(recipe, folder, resume=resume),
        start=initial_weights(recipe.init)
        if recipe.init is not None and recipe.validation.start_share
        else {},
    )


def compiled(net: nn.Module) -> nn.Module:
    """The network as `torch.compile` fuses it, with the same parameters.

    Its compiler's pool of processes never answers once data workers have been forked, so it works
    in this one. Each size of a curriculum is compiled for itself: asked for code that takes any
    size, the compiler fails on these networks.
    """
    from torch._inductor import config

    config.compile_threads = 1
    return cast(nn.Module, torch.compile(net, dynamic=False))


def check_batches(recipe: Recipe, world: int) -> None:
    """Batches are those of all processes together and must split evenly."""
    sizes = [(f"stages.{i}.batch", stage.batch) for i, stage in enumerate(recipe.stages)]
    if recipe.semi:
        sizes.append(("semi.batch", recipe.semi.batch))
    for name, size in sizes:
        if size % world:
            raise SemilarError(f"{name} is {size}, which {world} processes cannot share evenly.")


def _restore(
    checkpoint: Checkpoint | None, net: nn.Module, teacher: Teacher, optimizer: Any
) -> TrainingProgress:
    if checkpoint is None:
        return TrainingProgress()
    teacher.net.load_state_dict(checkpoint.teacher)
    teacher.updates = checkpoint.values["teacher_updates"]
    optimizer.load_state_dict(checkpoint.optimizer)
    known = {field.name for field in fields(TrainingProgress)}
    return TrainingProgress(**{name: v for name, v in checkpoint.values.items() if name in known})


def _checkpoint(folder: RunFolder, display: Display) -> Checkpoint:
    checkpoint, complaints = load_newest(folder.checkpoints)
    for complaint in complaints:
        display.say(f"{complaint} Going back to step {checkpoint.step}.")
    return checkpoint


def make_plan(recipe: Recipe, sources: Sources) -> TrainingPlan:
    """All steps of the run, given how much data there is."""
    photos = 0 if sources.unlabeled is None else len(sources.unlabeled)
    return TrainingPlan(
        recipe.stages,
        labeled=len(sources.labeled),
        unlabeled=photos,
        unlabeled_batch=recipe.semi.batch if recipe.semi else 1,
    )


def _batches(
    recipe: Recipe, plan: TrainingPlan, sources: Sources, fabric: lightning_fabric.Fabric
) -> Batches:
    unlabeled = None
    if recipe.semi and sources.unlabeled is not None:
        first = next(
            (n for n in range(plan.steps) if plan.step(n).epoch >= recipe.semi.start_epoch),
            plan.steps,
        )
        unlabeled = Unlabeled(sources.unlabeled, recipe.semi.batch, plan.first_batch(first))
    return Batches(
        plan,
        sources.labeled,
        unlabeled,
        seed=recipe.seed,
        rank=fabric.global_rank,
        world=fabric.world_size,
    )


def _features(recipe: Recipe, device: torch.device) -> Features | None:
    """VGG16 where the recipe uses it; missing weights are an error, never random features."""
    unlabeled = recipe.semi is not None and recipe.semi.needs_features()
    if not (recipe.loss.perceptual or unlabeled):
        return None
    return vgg16(recipe.loss.features).to(device)


def _labeler(
    recipe: Recipe,
    folder: RunFolder,
    fabric: lightning_fabric.Fabric,
    sources: Sources,
    step: int,
    score: Scorer | None,
) -> PseudoLabeler:
    semi = recipe.semi
    assert semi is not None
    assert sources.unlabeled is not None
    rule = semi.repository
    score = score or scorer_by_name(rule.scorer if rule.quality else "none")
    repository = None
    if rule.strategy != "none" and semi.truth is None:
        keys = [who.key for who in sources.unlabeled.identities]
        repository = _open_repository(folder, fabric, keys, semi.batch, step)
    if rule.delta is None:
        rule = rule.model_copy(update={"delta": score.delta})
    truth = None if semi.truth is None else TrueScenes(semi.truth)
    return PseudoLabeler(
        rule=rule,
        repository=repository,
        score=score,
        views=semi.views,
        lamps=semi.lamps,
        truth=truth,
    )


def _open_repository(
    folder: RunFolder,
    fabric: lightning_fabric.Fabric,
    keys: Sequence[str],
    batch: int,
    step: int,
) -> Repository:
    world = fabric.world_size
    if fabric.global_rank == 0:
        owners = [[keys[i] for i in owned_photos(len(keys), batch, r, world)] for r in range(world)]
        reshard(folder.repository, owners)
    fabric.barrier()
    repository = Repository(shard_path(folder.repository, fabric.global_rank))
    repository.roll_back(step)
    return repository


def _logbook(recipe: Recipe, folder: RunFolder, step: int) -> Logbook:
    board = folder.tensorboard if recipe.tensorboard else None
    return Logbook(folder.log, step=step, tensorboard=board)
