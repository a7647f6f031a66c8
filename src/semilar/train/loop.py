"""The training loop: steps, teacher, repository, validation, checkpoints.

The state of a run is a step number, the tensors of a checkpoint and the repository; all randomness
follows from the recipe's seed and the step number. A stopped run therefore goes on exactly where
it was.
"""

import time
from dataclasses import asdict, dataclass, field
from typing import Any

import lightning_fabric
import numpy as np
import torch
from torch import Tensor, nn

from semilar.data import MIXUP, STEP, derived_seed
from semilar.errors import SemilarError
from semilar.loss import Features, total
from semilar.photo import plain_png
from semilar.semi import PseudoLabeler, Teacher, UnsupervisedLoss
from semilar.train.checkpoint import Checkpoint, save_checkpoint, saved_steps
from semilar.train.display import Display, Speed
from semilar.train.feed import Batch, Batches, LabeledBatch, feed
from semilar.train.logbook import Logbook
from semilar.train.network import nearer
from semilar.train.objective import labeled_terms
from semilar.train.plan import Step, TrainingPlan
from semilar.train.recipe import Recipe
from semilar.train.run_folder import RunFolder
from semilar.train.schedule import learning_rate
from semilar.train.stopping import Stopper
from semilar.train.validation import Case, ScoredPhoto, measure, sample_sheet
from semilar.train.weights_file import run_card, write_weights
from semilar.weights import ModelCard

Terms = dict[str, Tensor]


@dataclass
class TrainingProgress:
    """The plain values of a checkpoint."""

    step: int = 0
    skipped: int = 0
    skipped_in_a_row: int = 0
    best: float | None = None
    best_step: int | None = None
    began: float | None = None
    """What `best` was at the start, where the recipe asks for more than that."""
    validation: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class Trainer:
    """One run on one process. `fit` trains until the end of the plan or until told to stop."""

    recipe: Recipe
    folder: RunFolder
    fabric: lightning_fabric.Fabric
    plan: TrainingPlan
    batches: Batches
    net: nn.Module
    model: Any
    """The network as Fabric wraps it."""
    optimizer: Any
    teacher: Teacher
    features: Features | None
    unsupervised: UnsupervisedLoss | None
    labeler: PseudoLabeler | None
    cases: dict[str, list[Case] | list[ScoredPhoto]]
    display: Display
    logbook: Logbook | None
    progress: TrainingProgress
    origin: ModelCard = field(default_factory=ModelCard)
    """The card of the weights that the run started from."""
    start: dict[str, Tensor] = field(default_factory=dict)
    """Those weights, where the recipe asks for a share of them."""

    def fit(self, stopper: Stopper) -> str | None:
        """Train; gives the reason for an early end, or None when the plan is done."""
        began, self._speed = time.monotonic(), Speed()
        machine, start = self.recipe.machine, self.progress.step
        self.display.begin(self.plan.steps, start)
        if start == 0 and self.recipe.validation.beat_start:
            self._validate(0.0)
            self.progress.began = self.progress.best
        numbers = range(self.plan.first_batch(start), self.plan.batches)
        stream = feed(self.batches, numbers, workers=machine.workers, prefetch=machine.prefetch)
        for number in range(start, self.plan.steps):
            figures = self._step(self.plan.step(number), stream)
            self.progress.step = number + 1
            last = self.progress.step == self.plan.steps
            if self.progress.step % self.recipe.log_every == 0 or last:
                self._log(figures, time.monotonic() - began)
            if self.progress.step % self.recipe.validation.every == 0 or last:
                self._validate(time.monotonic() - began)
            reason = self._agree(stopper.reason())
            if self.progress.step % self.recipe.checkpoint_every == 0 or last or reason:
                self.save()
            if last or reason:
                self._write_both()
            if reason and not last:
                return reason
        return None

    def _step(self, step: Step, stream: Any) -> dict[str, Any]:
        """One optimizer step over its batches; gives the figures of its log line."""
        lr = learning_rate(
            step.number, self.plan.steps, self.recipe.optimizer, step.stretch.stage.lr
        )
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        torch.manual_seed(
            derived_seed(self.recipe.seed, STEP, step.number, self.fabric.global_rank)
        )
        self.model.train()
        figures: dict[str, float] = {}
        finite = True
        for position, _ in enumerate(step.batches):
            batch = next(stream)
            last = position == len(step.batches) - 1
            terms = self._backward(batch, step, sync=last)
            finite = finite and all(np.isfinite(value) for value in terms.values())
            for name, value in terms.items():
                figures[name] = figures.get(name, 0.0) + value
        finite = self._update(finite)
        self._count(finite, step)
        loss = sum(figures.values())
        return {
            "epoch": round(step.epoch, 4),
            "stage": step.stretch.index,
            "loss": loss,
            "terms": figures,
            "lr": lr,
            "eta": self._eta(step.epoch),
        }

    def _backward(self, batch: Batch, step: Step, *, sync: bool) -> dict[str, float]:
        """Gradients of one batch, added to those of the step; gives its share of the terms."""
        share = 1 / len(step.batches)
        labeled = place_batch(batch, self.fabric.device, self.recipe.machine.channels_last)
        draws = np.random.default_rng((self.recipe.seed, MIXUP, batch.number))
        mixing = self.recipe.mixup.share(step.epoch, draws)
        self._speed.add((len(labeled.input) + len(batch.unlabeled)) * self.fabric.world_size)
        with (
            self.fabric.no_backward_sync(self.model, enabled=not sync or bool(batch.unlabeled)),
            self.fabric.autocast(),
        ):
            terms = labeled_terms(
                self.model, labeled, self.recipe.loss, self.features, share=mixing
            )
            self.fabric.backward(total(terms) * share)
        found = {name: float(value.detach()) * share for name, value in terms.items()}
        if batch.unlabeled:
            with self.fabric.no_backward_sync(self.model, enabled=not sync), self.fabric.autocast():
                eta = self._eta(step.epoch)
                terms = self._unlabeled_terms(batch, labeled, step)
                self.fabric.backward(total(terms) * (share * eta))
            found |= {
                f"unlabeled_{name}": float(value.detach()) * share * eta
                for name, value in terms.items()
            }
        return found

    def _unlabeled_terms(self, batch: Batch, labeled: LabeledBatch, step: Step) -> Terms:
        assert self.labeler is not None
        assert self.unsupervised is not None
        target, valid = self.labeler(
            self.teacher, batch.unlabeled, step=step.number, device=self.fabric.device
        )
        seeds = [
            derived_seed(self.recipe.seed, STEP, batch.number, sample.photo)
            for sample in batch.unlabeled
        ]
        return self.unsupervised(
            self.model,
            batch.unlabeled,
            target,
            valid,
            (labeled.input, labeled.target),
            epoch=step.epoch,
            seeds=seeds,
        )

    def _update(self, finite: bool) -> bool:
        """Move the student and the teacher, unless something is not finite."""
        clip = self.recipe.optimizer.clip or 1e30
        norm = self.fabric.clip_gradients(
            self.model, self.optimizer, max_norm=clip, error_if_nonfinite=False
        )
        assert norm is not None  # clipping by norm always gives it
        finite = self._everybody(finite and bool(torch.isfinite(norm)))
        if finite:
            self.optimizer.step()
            self.teacher.update(self.net)
        self.optimizer.zero_grad(set_to_none=True)
        return finite

    def _count(self, finite: bool, step: Step) -> None:
        if finite:
            self.progress.skipped_in_a_row = 0
            return
        self.progress.skipped += 1
        self.progress.skipped_in_a_row += 1
        if self.progress.skipped_in_a_row >= self.recipe.bad_steps:
            raise SemilarError(
                f"{self.folder.path}: the loss was not finite in {self.recipe.bad_steps} steps in a"
                f" row, last in step {step.number}; lower optimizer.lr or set optimizer.clip, and"
                " resume from the last checkpoint."
            )

    def _eta(self, epoch: float) -> float:
        return self.recipe.semi.eta_at(epoch) if self.recipe.semi else 0.0

    def _log(self, figures: dict[str, Any], seconds: float) -> None:
        figures["loss"] = self._mean(figures["loss"])
        figures["terms"] = {name: self._mean(v) for name, v in figures["terms"].items()}
        figures["skipped"] = self.progress.skipped
        if self.labeler is not None and self.labeler.repository is not None:
            totals = self.labeler.repository.totals()
            figures["repository"] = {
                name.value: int(self._sum(count)) for name, count in totals.items()
            }
        if self.logbook is not None:
            self.logbook.write("train", self.progress.step, figures, seconds=seconds)
        shown = {**figures, "speed": self._speed.per_second}
        self.display.show(self.progress.step, shown)

    def _validate(self, seconds: float) -> None:
        """Measure the recipe's choice of network on every set (first process only)."""
        if self.cases and self.fabric.global_rank == 0:
            with self._speed.paused():
                measured = self._measured()
                reports = {
                    name: measure(
                        measured,
                        cases,
                        device=self.fabric.device,
                        worse_by=self.recipe.validation.worse_by,
                    )
                    for name, cases in self.cases.items()
                }
                for name, report in reports.items():
                    self.display.say(f"step {self.progress.step}  {report.line(name)}")
                figures = {name: asdict(report) for name, report in reports.items()}
                self.progress.validation = figures
                if self.logbook is not None:
                    self.logbook.write("validation", self.progress.step, figures, seconds=seconds)
                self._keep_best(figures, measured)
                sheet = sample_sheet(measured, self.cases, device=self.fabric.device)
                self.folder.save_sheet(self.progress.step, plain_png(sheet))
        self.fabric.barrier()

    def _keep_best(self, figures: dict[str, Any], measured: nn.Module) -> None:
        value = score(figures, self.recipe.validation.best)
        if self.progress.best is None or value > self.progress.best:
            self.progress.best, self.progress.best_step = value, self.progress.step
            if self.progress.step == 0:  # what there is already need not be written again
                return
            rule = self.recipe.validation
            card = self._card(rule.network, figures, start_share=rule.start_share)
            write_weights(self.folder.best, measured, card)

    def _measured(self) -> nn.Module:
        """The network that is validated and published, in evaluation mode."""
        rule = self.recipe.validation
        chosen = self.teacher.net if rule.network == "teacher" else self.net.eval()
        return nearer(chosen, self.start, rule.start_share) if rule.start_share else chosen

    def _write_both(self) -> None:
        """Keep student and teacher as they are now, under their names."""
        if self.fabric.global_rank == 0:
            for name, net in (("student", self.net), ("teacher", self.teacher.net)):
                figures = self.progress.validation
                rule = self.recipe.validation
                measured = name == rule.network and not rule.start_share and figures
                write_weights(self.folder.last(name), net, self._card(name, measured or {}))

    def _card(
        self, network: str, figures: dict[str, Any], *, start_share: float = 0.0
    ) -> ModelCard:
        return run_card(
            self.recipe,
            self.origin,
            network=network,
            step=self.progress.step,
            figures=figures,
            start_share=start_share,
        )

    def save(self) -> None:
        """Write a checkpoint and tie the repository to it."""
        repository = None if self.labeler is None else self.labeler.repository
        if repository is not None:
            repository.mark_checkpoint(self.progress.step)
        self.fabric.barrier()
        if self.fabric.global_rank == 0:
            values = {**asdict(self.progress), "teacher_updates": self.teacher.updates}
            checkpoint = Checkpoint(
                self.progress.step,
                self.net.state_dict(),
                self.teacher.net.state_dict(),
                self.optimizer.state_dict(),
                values,
            )
            save_checkpoint(self.folder.checkpoints, checkpoint, keep=self.recipe.checkpoints_kept)
        self.fabric.barrier()
        if repository is not None:
            repository.forget_before(saved_steps(self.folder.checkpoints)[0])

    def _agree(self, reason: str | None) -> str | None:
        """All processes stop together: the reason of any of them."""
        if self.fabric.world_size == 1:
            return reason
        return (reason or "another process ends") if self._sum(reason is not None) else None

    def _everybody(self, finite: bool) -> bool:
        return finite if self.fabric.world_size == 1 else not self._sum(not finite)

    def _sum(self, value: float) -> float:
        if self.fabric.world_size == 1:
            return float(value)
        reduced = self.fabric.all_reduce(torch.tensor(float(value)), reduce_op="sum")
        assert isinstance(reduced, Tensor)
        return float(reduced)

    def _mean(self, value: float) -> float:
        return self._sum(value) / self.fabric.world_size


def score(figures: dict[str, Any], weights: dict[str, float]) -> float:
    """The figure that chooses the best checkpoint: the weighted mean of the named ones."""
    weights = weights or {f"{next(iter(figures))}.gain": 1.0}
    total = 0.0
    for wanted, weight in weights.items():
        name, _, figure = wanted.rpartition(".")
        total += weight * figures[name][figure]
    return total / sum(weights.values())


def place_batch(batch: Batch, device: torch.device, channels_last: bool) -> LabeledBatch:
    """The labeled pictures of a batch where the network wants them."""
    layout = torch.channels_last if channels_last else torch.contiguous_format
    labeled = batch.labeled
    return LabeledBatch(
        *(
            x.to(device, non_blocking=True, memory_format=layout)
            for x in (labeled.input, labeled.target, labeled.flare)
        )
    )
