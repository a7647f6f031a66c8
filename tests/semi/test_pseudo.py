"""From photo to target: windows to and fro, bounding, the strategies, shards."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor

from semilar.data.augmentation import ColourChange, Window
from semilar.data.unlabeled import UnlabeledSample
from semilar.errors import SemilarError
from semilar.semi.pseudo import PseudoLabeler
from semilar.semi.repository import Repository
from semilar.semi.rule import Decision, UpdateRule
from semilar.semi.shards import MergedRepository, reshard, shard_path, shard_paths
from semilar.semi.truth import TrueScenes

SAME = ColourChange(0, 0, 0, 0, middle=0.5, grey=False)
CPU = torch.device("cpu")


def sample(
    key: str, window: Window, *, size: tuple[int, int] = (6, 8), seed: int = 0
) -> UnlabeledSample:
    frame = torch.rand(3, *size, generator=torch.Generator().manual_seed(seed))
    return UnlabeledSample(seed, key, frame, window, window.take(frame), SAME)


def half(picture: Tensor) -> Tensor:
    """A teacher that takes half of all light away."""
    return picture / 2


def likes_dark(batch: Tensor) -> Tensor:
    return -batch.mean((1, 2, 3))


def labeler(repository: Repository | None, **options) -> PseudoLabeler:
    rule = UpdateRule(fog=1.0, **options)
    return PseudoLabeler(rule=rule, repository=repository, score=likes_dark)


def test_targets_are_the_students_window_of_the_label(tmp_path: Path) -> None:
    samples = [
        sample("a", Window(1, 2, 4, 4, flip=True)),
        sample("b", Window(0, 0, 4, 4), seed=1),
        sample("c", Window(2, 1, 4, 4, flip=True), size=(9, 7), seed=2),
    ]
    with Repository(tmp_path / "r.sqlite") as repository:
        target, valid = labeler(repository)(half, samples, step=0, device=CPU)
        for one, found in zip(samples, target, strict=True):
            torch.testing.assert_close(found, one.window.take(one.frame) / 2, atol=1e-5, rtol=0)
            entry = repository.entry(one.key)
            assert entry is not None
            assert entry.label is not None
            stored = torch.from_numpy(entry.label.astype(np.float32)) / 65535
            torch.testing.assert_close(stored, one.frame / 2, atol=1e-5, rtol=0)
    assert valid.all()


def test_no_flare_is_left_in_any_target_of_a_perfect_teacher(tmp_path: Path) -> None:
    """Grey scenes whose flare is in the blue alone: to restore is to copy red; 16:9, crops."""
    rng = np.random.default_rng(5)
    grey = torch.from_numpy(rng.uniform(0.1, 0.5, (4, 1, 18, 32)).astype(np.float32))
    scenes = grey.expand(-1, 3, -1, -1)
    flares = torch.zeros_like(scenes)
    flares[:, 2] = torch.from_numpy(rng.uniform(0.1, 0.4, (4, 18, 32)).astype(np.float32))
    photos = scenes + flares

    def perfect(picture: Tensor) -> Tensor:
        return picture[:, :1].expand_as(picture)

    def oracle(batch: Tensor) -> Tensor:
        return -(batch[:, 2] - batch[:, 0]).square().mean((1, 2))

    left = 0.0
    with Repository(tmp_path / "r.sqlite") as repository:
        make = PseudoLabeler(rule=UpdateRule(fog=1.0), repository=repository, score=oracle)
        for epoch in range(10):
            windows = [Window.random(18, 32, crop=16, flip=True, rng=rng) for _ in range(4)]
            samples = [
                UnlabeledSample(i, f"p{i}", photos[i], window, window.take(photos[i]), SAME)
                for i, window in enumerate(windows)
            ]
            targets, _ = make(perfect, samples, step=epoch, device=CPU)
            for i, window in enumerate(windows):
                left += float((targets[i] - window.take(scenes[i])).square().sum())
    assert left / float(flares.square().sum()) < 1e-6


def test_the_scorer_is_given_the_bounded_candidates_in_order(tmp_path: Path) -> None:
    """Ψ(p̃), not Ψ(p̂), Ψ(x) or Ψ of another photo; its answers are stored beside the right photo."""
    windows = [Window(1, 2, 4, 4, flip=True), Window(0, 0, 4, 4), Window(2, 1, 4, 4)]
    samples = [
        sample(key, window, seed=i)
        for i, (key, window) in enumerate(zip("abc", windows, strict=True))
    ]
    seen: list[Tensor] = []

    def keeping(batch: Tensor) -> Tensor:
        seen.extend(batch)
        return batch[:, 0, 0, 0]

    def brightens_half(batch: Tensor) -> Tensor:
        return torch.where(batch > 0.5, batch + 0.3, batch / 2)

    with Repository(tmp_path / "r.sqlite") as repository:
        make = PseudoLabeler(rule=UpdateRule(fog=1.0), repository=repository, score=keeping)
        make(brightens_half, samples, step=0, device=CPU)
        for one, found in zip(samples, seen, strict=True):
            x = one.frame
            bounded = torch.where(x > 0.5, x + 0.05, x / 2).clamp(0, 1)
            torch.testing.assert_close(found, bounded)
            entry = repository.entry(one.key)
            assert entry is not None
            assert entry.score == pytest.approx(float(bounded[0, 0, 0]))


def test_a_scorer_that_wants_the_photo_is_shown_the_right_one(tmp_path: Path) -> None:
    """Whole photos, upright, each beside its own candidate; its own answer alone is not asked."""
    windows = [Window(1, 2, 4, 4, flip=True), Window(0, 0, 4, 4), Window(2, 1, 4, 4, flip=True)]
    samples = [
        sample(key, window, seed=i)
        for i, (key, window) in enumerate(zip("abc", windows, strict=True))
    ]

    class Beside:
        def __call__(self, batch: Tensor) -> Tensor:
            raise AssertionError

        def beside(self, batch: Tensor, photos: Tensor) -> Tensor:
            torch.testing.assert_close(batch, photos / 2)
            return photos[:, 0, 0, 0]

    with Repository(tmp_path / "r.sqlite") as repository:
        make = PseudoLabeler(rule=UpdateRule(fog=1.0), repository=repository, score=Beside())
        make(half, samples, step=0, device=CPU)
        for one in samples:
            entry = repository.entry(one.key)
            assert entry is not None
            assert entry.score == pytest.approx(float(one.frame[0, 0, 0]))


def test_the_teacher_may_not_add_light(tmp_path: Path) -> None:
    one = sample("a", Window.whole(6, 8))
    with Repository(tmp_path / "r.sqlite") as repository:
        target, _ = labeler(repository, epsilon=0.05)(
            lambda x: torch.ones_like(x), [one], step=0, device=CPU
        )
    torch.testing.assert_close(target[0], (one.frame + 0.05).clamp(0, 1), atol=1e-5, rtol=0)


def test_the_scorer_looks_once_at_what_passed_the_gates(tmp_path: Path) -> None:
    seen: list[int] = []

    def counting(batch: Tensor) -> Tensor:
        seen.append(len(batch))
        return likes_dark(batch)

    samples = [sample(key, Window.whole(6, 8), seed=i) for i, key in enumerate("abcd")]

    def blackens_two(batch: Tensor) -> Tensor:
        return batch * torch.tensor([0.0, 1.0, 0.0, 1.0]).view(4, 1, 1, 1)

    with Repository(tmp_path / "r.sqlite") as repository:
        rule = UpdateRule(fog=1.0)
        make = PseudoLabeler(rule=rule, repository=repository, score=counting)
        _, valid = make(blackens_two, samples, step=0, device=CPU)
        make(half, samples, step=1, device=CPU)
        make(half, samples, step=2, device=CPU)
        totals = repository.totals()
    assert seen == [2, 4, 4]
    assert valid.tolist() == [False, True, False, True]
    assert totals == {
        Decision.ACCEPTED: 6,
        Decision.BLACK: 2,
        Decision.FOGGY: 0,
        Decision.NOT_BETTER: 4,
    }


def test_without_a_repository_the_answer_is_the_target() -> None:
    one = sample("a", Window(0, 1, 4, 4))
    target, valid = labeler(None)(half, [one], step=0, device=CPU)
    torch.testing.assert_close(target[0], one.window.take(one.frame) / 2)
    assert valid.all()


def test_shards_merge_on_read_and_follow_their_owners(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    keys = [f"p{i}#x" for i in range(6)]
    for rank in range(2):
        with Repository(shard_path(folder, rank)) as shard:
            own = [
                sample(key, Window.whole(6, 8), seed=i)
                for i, key in enumerate(keys)
                if i % 2 == rank
            ]
            labeler(shard)(half, own, step=3, device=CPU)
    before = [(e.key, e.score, e.accepted) for e in MergedRepository(folder).entries()]
    history = MergedRepository(folder).events()
    assert [key for key, *_ in before] == keys
    for owners in ([keys[:1], keys[1:2], keys[2:]], [keys]):
        reshard(folder, owners)
        assert len(shard_paths(folder)) == len(owners)
        merged = MergedRepository(folder)
        assert [(e.key, e.score, e.accepted) for e in merged.entries()] == before
        assert sorted(merged.events(), key=lambda e: e.key) == sorted(history, key=lambda e: e.key)
    with Repository(shard_path(folder, 0)) as shard:
        assert shard.photo_keys() == keys


def test_the_teacher_sees_every_orientation_and_answers_are_averaged(tmp_path: Path) -> None:
    """A teacher that darkens the left side of what it sees: upright and turned it does so too."""

    def left_handed(picture: Tensor) -> Tensor:
        answer = picture.clone()
        answer[..., : picture.shape[-1] // 2] = 0
        return answer

    one = sample("a", Window(0, 0, 6, 6), size=(6, 6))
    rule = UpdateRule(fog=1.0, black=0.0)
    make = PseudoLabeler(rule=rule, repository=None, score=likes_dark, views=8)
    target, _ = make(left_handed, [one], step=0, device=CPU)
    torch.testing.assert_close(target[0], one.frame / 2)  # each side is dark in half of the views


@pytest.mark.parametrize("lamps", [True, False])
def test_a_lamp_that_the_teacher_answers_grey_stays_white_if_asked_for(lamps: bool) -> None:
    rows, columns = np.mgrid[:96, :128]
    lamp = torch.from_numpy(np.hypot(rows - 48, columns - 64) < 16)
    frame = torch.where(lamp, 1.0, 0.4).expand(3, -1, -1).contiguous()
    grey = torch.where(lamp, 0.3, 0.1).expand(1, 3, -1, -1)
    whole = Window.whole(96, 128, flip=False)
    photo = UnlabeledSample(0, "a", frame, whole, whole.take(frame), SAME)
    make = PseudoLabeler(rule=UpdateRule(fog=1.0), repository=None, score=likes_dark, lamps=lamps)
    target, _ = make(lambda _: grey, [photo], step=0, device=CPU)
    core = torch.from_numpy(np.hypot(rows - 48, columns - 64) < 12)
    inside, far = target[0][:, core], target[0][:, :, :24]
    torch.testing.assert_close(far, grey[0, :, :, :24], atol=1e-4, rtol=0)
    torch.testing.assert_close(
        inside, torch.full_like(inside, 1.0 if lamps else 0.3), atol=1e-3, rtol=0
    )


def test_an_oracle_gives_the_true_scene_in_the_students_window(tmp_path: Path) -> None:
    window = Window(1, 2, 4, 4, flip=True)
    pixels = np.random.default_rng(3).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    (tmp_path / "night").mkdir()
    Image.fromarray(pixels).save(tmp_path / "night" / "a.png")
    make = PseudoLabeler(
        rule=UpdateRule(), repository=None, score=likes_dark, truth=TrueScenes(tmp_path)
    )
    target, valid = make(half, [sample("night/a.png#digest", window)], step=0, device=CPU)
    scene = torch.from_numpy(pixels).permute(2, 0, 1) / 255
    torch.testing.assert_close(target[0], window.take(scene))
    assert valid.all()
    with pytest.raises(SemilarError, match=r"other\.png"):
        make(half, [sample("other.png#digest", window)], step=0, device=CPU)
