"""The plan against a plain walk through all batches."""

import numpy as np
import pytest

from semilar.train.plan import TrainingPlan
from semilar.train.recipe import Stage


def walk(
    stages: list[Stage], labeled: int, unlabeled: int, unlabeled_batch: int
) -> list[list[int]]:
    """Batches of each step by counting: epochs of whole batches, groups that end with the epoch."""
    steps, batch = [], 0
    for stage in stages:
        per_epoch = max(-(-labeled // stage.batch), -(-unlabeled // unlabeled_batch))
        made, epoch = 0, 0
        while (stage.steps and made < stage.steps) or (stage.epochs and epoch < stage.epochs):
            left = per_epoch
            while left and not (stage.steps and made == stage.steps):
                size = min(left, stage.accumulate)
                steps.append(list(range(batch, batch + size)))
                batch, left, made = batch + size, left - size, made + 1
            epoch += 1
    return steps


CASES = [
    ([Stage(epochs=3, batch=2, accumulate=4)], 9, 0, 1),
    ([Stage(epochs=2, batch=4)], 10, 37, 4),
    ([Stage(steps=7, batch=2, accumulate=2), Stage(epochs=2, batch=3), Stage(steps=1)], 11, 4, 2),
]


@pytest.mark.parametrize("case", CASES)
def test_steps_take_the_batches_of_a_plain_walk(case) -> None:
    stages, labeled, unlabeled, size = case
    plan = TrainingPlan(stages, labeled=labeled, unlabeled=unlabeled, unlabeled_batch=size)
    wanted = walk(stages, labeled, unlabeled, size)
    assert [list(plan.step(i).batches) for i in range(plan.steps)] == wanted
    assert plan.batches == wanted[-1][-1] + 1
    assert [plan.first_batch(i) for i in range(plan.steps + 1)] == [
        *(step[0] for step in wanted),
        plan.batches,
    ]


@pytest.mark.parametrize("case", CASES)
def test_no_labeled_sample_is_left_out_or_repeated(case) -> None:
    stages, labeled, unlabeled, size = case
    plan = TrainingPlan(stages, labeled=labeled, unlabeled=unlabeled, unlabeled_batch=size)
    cursors = []
    for batch in range(plan.batches):
        first = plan.labeled_cursor(batch)
        cursors += range(first, first + plan.stretch_of_batch(batch).stage.batch)
    assert cursors == list(range(len(cursors)))


def test_the_rest_of_an_epoch_is_a_step_of_its_own() -> None:
    plan = TrainingPlan([Stage(epochs=2, batch=1, accumulate=4)], labeled=6)
    assert [len(plan.step(i).batches) for i in range(plan.steps)] == [4, 2, 4, 2]
    assert [plan.step(i).epoch for i in range(4)] == [0.0, 0.5, 1.0, 1.5]


def test_the_longer_stream_sets_the_epoch() -> None:
    assert (
        TrainingPlan([Stage(epochs=1, batch=2)], labeled=10, unlabeled=40, unlabeled_batch=4).steps
        == 10
    )
    assert (
        TrainingPlan([Stage(epochs=1, batch=2)], labeled=90, unlabeled=40, unlabeled_batch=4).steps
        == 45
    )


def test_epochs_go_on_over_stages() -> None:
    plan = TrainingPlan([Stage(steps=5, batch=2), Stage(epochs=1, batch=4)], labeled=8)
    epochs = [plan.step(i).epoch for i in range(plan.steps)]
    np.testing.assert_allclose(epochs, [0, 0.25, 0.5, 0.75, 1, 1.25, 1.75])
    assert plan.epochs == 2.25
