"""The batches of a run, made in worker processes ahead of time.

One item of the dataset is a whole batch (this process's part of it), labeled and unlabeled; its
number says everything, so workers keep no state and a resumed run starts at any number.
"""

import signal
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from semilar.data import (
    LABELED,
    UNLABELED,
    LabeledSource,
    Populations,
    UnlabeledPhotos,
    UnlabeledSample,
    derived_seed,
    lane,
    place,
)
from semilar.errors import SemilarError
from semilar.processes import held_back
from semilar.train.plan import TrainingPlan


@dataclass(frozen=True)
class LabeledBatch:
    """Encoded pictures (B, 3, H, W): flared, clean, and the flare layer."""

    input: Tensor
    target: Tensor
    flare: Tensor


@dataclass(frozen=True)
class Batch:
    """What one forward and backward pass needs."""

    number: int
    labeled: LabeledBatch
    unlabeled: list[UnlabeledSample]


@dataclass(frozen=True)
class Unlabeled:
    """The unlabeled side of a run: photos, how many a whole batch takes, from which batch on."""

    photos: UnlabeledPhotos
    batch: int
    first_batch: int


class Batches(Dataset):
    """Batch number -> `Batch`, the part that process `rank` of `world` works on."""

    def __init__(
        self,
        plan: TrainingPlan,
        labeled: LabeledSource,
        unlabeled: Unlabeled | None,
        *,
        seed: int,
        rank: int = 0,
        world: int = 1,
    ) -> None:
        self._plan, self._labeled, self._unlabeled = plan, labeled, unlabeled
        self._seed, self._rank, self._world = seed, rank, world
        self._populations = [Populations(s.stage.synth) for s in plan.stretches]

    def __getitem__(self, number: int) -> Batch:
        return Batch(number, self._labeled_part(number), self._unlabeled_part(number))

    def _labeled_part(self, number: int) -> LabeledBatch:
        stretch = self._plan.stretch_of_batch(number)
        first = self._plan.labeled_cursor(number)
        samples = []
        for slot in self._slots(stretch.stage.batch):
            turn, index = place(first + slot, len(self._labeled), self._seed, LABELED)
            seed = derived_seed(self._seed, LABELED, turn, index)
            settings = self._populations[stretch.index].draw(seed)
            samples.append(
                self._labeled.make(index, seed=seed, crop=stretch.stage.crop, settings=settings)
            )
        return LabeledBatch(
            *(_stack([getattr(s, name) for s in samples]) for name in ("input", "target", "flare"))
        )

    def _unlabeled_part(self, number: int) -> list[UnlabeledSample]:
        side = self._unlabeled
        if side is None or number < side.first_batch:
            return []
        crop = self._plan.stretch_of_batch(number).stage.crop
        samples = []
        for slot in self._slots(side.batch):
            own = lane(len(side.photos), side.batch, slot)
            cursor = number - side.first_batch
            turn, position = place(cursor, len(own), self._seed, UNLABELED, slot)
            index = int(own[position])
            seed = derived_seed(self._seed, UNLABELED, turn, index)
            samples.append(side.photos.make(index, seed=seed, crop=crop))
        return samples

    def _slots(self, batch: int) -> range:
        share = batch // self._world
        return range(self._rank * share, (self._rank + 1) * share)


def owned_photos(count: int, batch: int, rank: int, world: int) -> list[int]:
    """The photos whose pseudo labels process `rank` keeps."""
    share = batch // world
    slots = range(rank * share, (rank + 1) * share)
    return sorted(int(i) for slot in slots for i in lane(count, batch, slot))


def feed(batches: Batches, numbers: range, *, workers: int, prefetch: int) -> Iterator[Batch]:
    """The batches of those numbers in order, made by `workers` processes ahead of need."""
    loader = DataLoader(
        _Attempts(batches),
        batch_size=None,
        sampler=numbers,  # type: ignore[arg-type]
        num_workers=workers,
        prefetch_factor=prefetch if workers else None,
        worker_init_fn=_prepare_worker,
    )
    with held_back(signal.SIGINT, signal.SIGTERM):
        stream = iter(loader)
    for made in stream:
        if isinstance(made, SemilarError):
            raise made
        yield made


class _Attempts(Dataset):
    """Batches, or the reason why there is none: an error raised in a worker process would arrive
    wrapped in its traceback."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    def __getitem__(self, number: int) -> Batch | SemilarError:
        try:
            return self._batches[number]
        except SemilarError as error:
            return error


def _prepare_worker(_: int) -> None:
    """Workers end when the training process says so or is gone, not when a signal reaches all.

    Ctrl-C and a service manager's SIGTERM go to the whole group; the training process still needs
    a batch to finish its step.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _stack(pictures: list[np.ndarray]) -> Tensor:
    """(H, W, 3) pictures as one (B, 3, H, W) tensor."""
    return torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).contiguous()
