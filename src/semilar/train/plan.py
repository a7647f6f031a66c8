"""Which step does what: stages, epochs, batches and their places in the streams, in closed form.

An epoch is as many batches as the longer of the two streams needs; the shorter one goes round
again, newly shuffled. `accumulate` batches make an optimizer step; the rest at the end of an epoch
makes a smaller step of its own and is not dropped. Everything follows from the step number, so
resuming means counting on.
"""

import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from semilar.train.recipe import Stage


@dataclass(frozen=True)
class Stretch:
    """A stage with its place in the whole run."""

    index: int
    stage: Stage
    batches: int
    """Batches of one epoch."""
    steps: int
    first_step: int
    first_batch: int
    first_labeled: int
    first_epoch: float

    @property
    def steps_per_epoch(self) -> int:
        return ceil(self.batches / self.stage.accumulate)

    def batch_range(self, step_in_stage: int) -> tuple[int, int]:
        """First and last-plus-one batch, within the stage, of one of its steps."""
        epoch, group = divmod(step_in_stage, self.steps_per_epoch)
        first = epoch * self.batches + group * self.stage.accumulate
        return first, min(first + self.stage.accumulate, (epoch + 1) * self.batches)

    @property
    def all_batches(self) -> int:
        return self.batch_range(self.steps - 1)[1]


@dataclass(frozen=True)
class Step:
    """One optimizer step: where it stands and which batches it takes."""

    number: int
    stretch: Stretch
    epoch: float
    """Epochs done before this step, with its fraction."""
    batches: range


class TrainingPlan:
    """All steps of a run.

    Args:
        stages: the recipe's.
        labeled: labeled samples of one pass.
        unlabeled: unlabeled photos, 0 for none, and how many of them a batch takes.
    """

    def __init__(
        self, stages: Sequence[Stage], *, labeled: int, unlabeled: int = 0, unlabeled_batch: int = 1
    ) -> None:
        self.stretches: list[Stretch] = []
        step = batch = sample = 0
        epoch = 0.0
        for index, stage in enumerate(stages):
            batches = max(ceil(labeled / stage.batch), ceil(unlabeled / unlabeled_batch))
            steps = stage.steps or (stage.epochs or 0) * ceil(batches / stage.accumulate)
            stretch = Stretch(index, stage, batches, steps, step, batch, sample, epoch)
            self.stretches.append(stretch)
            step, batch = step + steps, batch + stretch.all_batches
            sample += stretch.all_batches * stage.batch
            epoch += steps / stretch.steps_per_epoch
        self.steps, self.batches, self.epochs = step, batch, epoch

    @cached_property
    def _first_steps(self) -> list[int]:
        return [stretch.first_step for stretch in self.stretches]

    @cached_property
    def _first_batches(self) -> list[int]:
        return [stretch.first_batch for stretch in self.stretches]

    def step(self, number: int) -> Step:
        """What optimizer step `number` does, counted from 0."""
        stretch = self.stretches[bisect.bisect_right(self._first_steps, number) - 1]
        inside = number - stretch.first_step
        first, end = stretch.batch_range(inside)
        epoch = stretch.first_epoch + inside / stretch.steps_per_epoch
        return Step(
            number, stretch, epoch, range(stretch.first_batch + first, stretch.first_batch + end)
        )

    def first_batch(self, step: int) -> int:
        """The batch that step `step` begins with; the number of all batches after the last."""
        return self.step(step).batches.start if step < self.steps else self.batches

    def stretch_of_batch(self, batch: int) -> Stretch:
        """The stage that a batch belongs to."""
        return self.stretches[bisect.bisect_right(self._first_batches, batch) - 1]

    def labeled_cursor(self, batch: int) -> int:
        """Where in the labeled stream a batch begins."""
        stretch = self.stretch_of_batch(batch)
        return stretch.first_labeled + (batch - stretch.first_batch) * stretch.stage.batch
