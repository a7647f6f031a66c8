"""The loss on unlabeled photos: which terms a recipe switches on, and what they compare."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from semilar.data.augmentation import ColourChange, Window
from semilar.data.unlabeled import UnlabeledSample
from semilar.loss.brightness import BrightnessLoss
from semilar.loss.frequency import fft_l1
from semilar.semi.pseudo import PseudoLabeler
from semilar.semi.repository import Repository
from semilar.semi.settings import Semi
from semilar.semi.unsupervised import UnsupervisedLoss
from semilar.train import load_recipe

SAME = ColourChange(0, 0, 0, 0, middle=0.5, grey=False)


def sample(seed: int, size: int = 16) -> UnlabeledSample:
    frame = torch.rand(3, size, size, generator=torch.Generator().manual_seed(seed))
    return UnlabeledSample(seed, f"photo-{seed}", frame, Window.whole(size, size), frame, SAME)


def half(picture: Tensor) -> tuple[Tensor, Tensor]:
    return picture / 2, picture / 2


def terms(semi: Semi, valid: list[bool]) -> dict[str, Tensor]:
    samples = [sample(0), sample(1)]
    target = torch.stack([one.frame for one in samples]) * 0.7
    loss = UnsupervisedLoss(semi=semi, features=None)
    pairs = (target, target)  # for swapped flares, which no recipe here has
    return loss(half, samples, target, torch.tensor(valid), pairs, epoch=20, seeds=[0, 1])


def test_the_papers_recipe_has_the_pixel_term_alone() -> None:
    assert set(terms(Semi(), [True, True])) == {"pixel"}


def test_fft_compares_with_the_label_and_brightness_with_the_photo() -> None:
    semi = Semi(fft=0.1, brightness=BrightnessLoss(weight=20, window=8))
    found = terms(semi, [True, False])
    photo = sample(0).frame[None]
    assert set(found) == {"pixel", "fft", "brightness"}
    fft = 0.1 * float(fft_l1(photo / 2, photo * 0.7)) / 2  # the second picture is not valid
    assert float(found["fft"]) == pytest.approx(fft, rel=1e-5)
    bright = 20 * float(BrightnessLoss(window=8)(photo / 2, photo)) / 2
    assert float(found["brightness"]) == pytest.approx(bright, rel=1e-5)


def test_sfsnid_keeps_the_first_label_of_every_photo(tmp_path: Path) -> None:
    """As it is: brighter than the photo, nearly black, whatever the teacher says later."""
    semi = load_recipe("ablation/sfsnid").semi
    assert semi is not None
    samples = [sample(0), sample(1)]
    with Repository(tmp_path / "labels.sqlite") as repository:
        make = PseudoLabeler(
            rule=semi.repository, repository=repository, score=lambda x: x.new_zeros(len(x))
        )
        for gain, step in ((1.5, 0), (0.1, 1), (0.9, 2)):
            target, valid = make(
                lambda x, gain=gain: (x * gain).clamp(0, 1),
                samples,
                step=step,
                device=torch.device("cpu"),
            )
            for one, label in zip(samples, target, strict=True):
                wanted = (one.frame * 1.5).clamp(0, 1)
                torch.testing.assert_close(label, wanted, atol=2e-5, rtol=0)
            assert valid.all()


def test_sfsnid_learns_as_its_commands_say() -> None:
    semi = load_recipe("ablation/sfsnid").semi
    assert semi is not None
    assert (semi.pixel, semi.fft, semi.brightness.weight) == (1.0, 0.1, 20.0)
    assert (semi.brightness.window, semi.brightness.power) == (16, 1.3)
    assert not semi.needs_features()
    assert semi.eta_at(semi.start_epoch) == 1.0
    picture = torch.rand(3, 8, 8)
    view, _ = semi.strong(picture, np.random.default_rng(0))
    torch.testing.assert_close(view, picture)
