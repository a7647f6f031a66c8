"""Learning rate, η and λ_cr against their formulas."""

import math

import pytest
import torch

from semilar.train.recipe import Contrastive, Optimizer, Semi
from semilar.train.schedule import contrastive_weight, learning_rate, unsupervised_weight


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
    assert unsupervised_weight(9.99, semi) == 0
    for t in (0, 5, 13.5, 20):
        wanted = 0.06 * math.exp(-5 * (1 - t / 20) ** 2)
        assert unsupervised_weight(10 + t, semi) == pytest.approx(wanted)
    assert unsupervised_weight(39, semi) == pytest.approx(0.06)
    assert unsupervised_weight(10, Semi(start_epoch=10, eta=0.5, eta_epochs=0)) == 0.5


def test_the_contrastive_weight_is_constant_or_a_line() -> None:
    assert contrastive_weight(10, Semi(contrastive=Contrastive(weight=0.01))) == 0.01
    ramped = Semi(start_epoch=10, contrastive=Contrastive(weight=0.01, ramp_epochs=30))
    values = [contrastive_weight(e, ramped) for e in (10, 25, 40, 50)]
    assert values == pytest.approx([0, 0.005, 0.01, 0.01])
