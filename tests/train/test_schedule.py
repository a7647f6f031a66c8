"""Learning rate, η and λ_cr against their formulas."""

import math

import pytest
import torch

from semilar.loss.contrastive import ContrastiveLoss
from semilar.semi.settings import Semi
from semilar.train.recipe import Optimizer
from semilar.train.schedule import learning_rate


def test_warm_up_is_a_line_and_then_comes_torchs_cosine() -> None:
    optimizer = Optimizer(lr=2e-3, warmup=5, final=0.1)
    rates = [learning_rate(step, 25, optimizer) for step in range(25)]
    assert rates[:5] == pytest.approx([2e-3 * t / 5 for t in range(1, 6)])
    parameter = torch.nn.Parameter(torch.zeros(1))
    reference = torch.optim.SGD([parameter], lr=2e-3)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(reference, T_max=20, eta_min=2e-4)
    for rate in rates[5:]:
        assert rate == pytest.approx(cosine.get_last_lr()[0], rel=1e-9)
        reference.step()
        cosine.step()
    assert learning_rate(3, 25, optimizer, 0.5) == rates[3] / 2


def test_eta_ramps_up_as_published() -> None:
    semi = Semi(start_epoch=10, eta=0.06, eta_epochs=20)
    assert semi.eta_at(9.99) == 0
    for t in (0, 5, 13.5, 20):
        wanted = 0.06 * math.exp(-5 * (1 - t / 20) ** 2)
        assert semi.eta_at(10 + t) == pytest.approx(wanted)
    assert semi.eta_at(39) == pytest.approx(0.06)
    assert Semi(start_epoch=10, eta=0.5, eta_epochs=0).eta_at(10) == 0.5


def test_the_contrastive_weight_is_constant_or_a_line() -> None:
    assert Semi(contrastive=ContrastiveLoss(weight=0.01)).contrast_at(10) == 0.01
    ramped = Semi(start_epoch=10, contrastive=ContrastiveLoss(weight=0.01, ramp_epochs=30))
    values = [ramped.contrast_at(e) for e in (10, 25, 40, 50)]
    assert values == pytest.approx([0, 0.005, 0.01, 0.01])
