"""From unlabeled photos to targets: teacher, bounding, scorer, repository (section 3.2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from semilar.data import UnlabeledSample, Window
from semilar.photo import Floats
from semilar.quality.scorers import Score, score_beside
from semilar.restore import mean_of_views, with_lamps
from semilar.semi.repository import Offer, Repository
from semilar.semi.rule import FULL, Decision, Label, UpdateRule

RestoreBatch = Callable[[Tensor], Tensor]
Truth = Callable[[UnlabeledSample], Tensor]


@dataclass(frozen=True, kw_only=True)
class PseudoLabeler:
    """Gives the student its targets.

    The teacher always sees the whole photo: a label is kept for all of it, and what the teacher has
    not looked at would still be flared.

    Args:
        rule: algorithm 1.
        repository: where pseudo labels persist; None uses the teacher's answer as it is (the
            ablation without a repository).
        score: the no-reference scorer Ψ, higher is better; (B, 3, H, W) encoded -> (B,).
        views: in how many orientations the teacher sees each photo; its answer is their mean.
        lamps: whether lamps stay in labels as in restored photos.
        truth: gives the scene behind a photo (3, H, W), for studies; nobody is asked then.
    """

    rule: UpdateRule
    repository: Repository | None
    score: Score
    views: int = 1
    lamps: bool = False
    truth: Truth | None = None

    def __call__(
        self,
        restore: RestoreBatch,
        samples: Sequence[UnlabeledSample],
        *,
        step: int,
        device: torch.device,
    ) -> tuple[Tensor, Tensor]:
        """Targets in the student's windows (B, 3, h, w), encoded, and which are valid (B,)."""
        labels = self._labels(restore, samples, step, device)
        targets = [
            sample.window.take(torch.zeros_like(sample.frame) if label is None else label)
            for sample, label in zip(samples, labels, strict=True)
        ]
        stacked = torch.stack(targets).to(device)
        return stacked, stacked.mean(dim=(1, 2, 3)) >= self.rule.valid

    def _labels(
        self,
        restore: RestoreBatch,
        samples: Sequence[UnlabeledSample],
        step: int,
        device: torch.device,
    ) -> list[Tensor | None]:
        if self.truth is not None:
            return [self.truth(sample) for sample in samples]
        candidates = self._candidates(restore, samples, device)
        if self.repository is None:
            return list(candidates)
        return self._update(self.repository, samples, candidates, step)

    def _update(
        self,
        repository: Repository,
        samples: Sequence[UnlabeledSample],
        candidates: list[Tensor],
        step: int,
    ) -> list[Tensor | None]:
        refused = [self.rule.refuse(candidate) for candidate in candidates]
        scores = self._scores(candidates, refused, samples)
        offers = [
            Offer(sample.key, candidate, reason, score)
            for sample, candidate, reason, score in zip(
                samples, candidates, refused, scores, strict=True
            )
        ]
        entries = repository.offer(offers, self.rule, step=step)
        return [None if entry.label is None else to_float(entry.label) for entry in entries]

    def _candidates(
        self, restore: RestoreBatch, samples: Sequence[UnlabeledSample], device: torch.device
    ) -> list[Tensor]:
        """Bounded candidates (3, H, W) in the photos' own frames, on the CPU."""
        windows = [_whole(sample) for sample in samples]
        seen = [window.take(s.frame) for window, s in zip(windows, samples, strict=True)]

        def run(pictures: Floats) -> Floats:
            return restore(torch.from_numpy(pictures).to(device)).float().cpu().numpy()

        restored = _by_shape(
            lambda x: torch.from_numpy(mean_of_views(run, x.numpy(), self.views)), seen
        )
        candidates = []
        for window, picture, answer in zip(windows, seen, restored, strict=True):
            if self.lamps:
                answer = _with_lamps(picture, answer)
            bounded = self.rule.bound(answer, picture)
            candidates.append(window.take(bounded))  # mirrored twice is upright
        return candidates

    def _scores(
        self,
        candidates: list[Tensor],
        refused: list[Decision | None],
        samples: Sequence[UnlabeledSample],
    ) -> list[float | None]:
        """Ψ of every candidate that passed the gates, once, beside its photo."""
        places = [i for i, reason in enumerate(refused) if reason is None]
        scores: list[float | None] = [None] * len(candidates)
        shown = [candidates[i] for i in places]
        photos = [samples[i].frame for i in places]
        found = _by_shape(
            lambda x: score_beside(self.score, x[:, 0], x[:, 1]).cpu(),
            [torch.stack(both) for both in zip(shown, photos, strict=True)],
        )
        for i, score in zip(places, found, strict=True):
            scores[i] = float(score)
        return scores


def _with_lamps(photo: Tensor, scene: Tensor) -> Tensor:
    """`with_lamps` for *encoded* tensors (3, H, W)."""
    seen, left = (x.cpu().numpy().transpose(1, 2, 0) for x in (photo, scene))
    return torch.from_numpy(with_lamps(seen, left).transpose(2, 0, 1).copy())


def _whole(sample: UnlabeledSample) -> Window:
    """The teacher's window: all of the photo, mirrored as the student's is."""
    height, width = sample.frame.shape[-2:]
    return Window.whole(height, width, flip=sample.window.flip)


def to_float(label: Label) -> Tensor:
    """A stored label as an encoded picture (3, H, W) in [0, 1]."""
    return torch.from_numpy(label.astype("float32")) / FULL


def _by_shape(run: Callable[[Tensor], Tensor], pictures: Sequence[Tensor]) -> list[Tensor]:
    """`run` on batches of pictures of equal shape; answers in the order of the pictures."""
    groups: dict[torch.Size, list[int]] = {}
    for i, picture in enumerate(pictures):
        groups.setdefault(picture.shape, []).append(i)
    answers: dict[int, Tensor] = {}
    for places in groups.values():
        answers |= zip(places, run(torch.stack([pictures[i] for i in places])), strict=True)
    return [answers[i] for i in range(len(pictures))]
