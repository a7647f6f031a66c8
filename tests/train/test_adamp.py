"""AdamP: Adam where nothing is projected, a rotation where a norm follows the weight."""

from pathlib import Path

import pytest
import torch
from torch import nn

from semilar.train.adamp import AdamP, projected
from semilar.train.checkpoint import load_newest
from semilar.train.start import train
from tests.train.tiny import tiny_recipe


def test_without_upright_gradients_it_is_adam_with_decoupled_decay() -> None:
    weights = torch.tensor([[1.0, -2.0, 0.5]])
    one, two = nn.Parameter(weights.clone()), nn.Parameter(weights.clone())
    ours = AdamP([one], lr=0.1, betas=(0.8, 0.9), weight_decay=0.3)
    theirs = torch.optim.AdamW([two], lr=0.1, betas=(0.8, 0.9), weight_decay=0.3)
    for step in range(5):
        for parameter, optimizer in ((one, ours), (two, theirs)):
            parameter.grad = parameter.detach() * (1 + step)  # along the weight itself
            optimizer.step()
    torch.testing.assert_close(one, two)


def test_a_weight_that_only_turns_keeps_its_norm() -> None:
    """The loss sees w / |w| alone; Adam makes the norm grow, AdamP hardly."""
    generator = torch.Generator().manual_seed(0)
    start, goal = (torch.randn(6, 40, generator=generator) for _ in range(2))
    norms = {}
    for name in ("adam", "adamp"):
        w = nn.Parameter(start.clone())
        kind = torch.optim.Adam([w], lr=0.05) if name == "adam" else None
        optimizer = kind or AdamP([w], lr=0.05, betas=(0.9, 0.999))
        for _ in range(20):
            optimizer.zero_grad()
            (1 - torch.cosine_similarity(w, goal, dim=1)).sum().backward()
            optimizer.step()
        norms[name] = float((w / start.norm(dim=1, keepdim=True)).detach().norm(dim=1).mean())
    assert norms["adam"] > 1.08
    assert norms["adamp"] < 1 + (norms["adam"] - 1) / 4


def test_a_stopped_run_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    plain = {"semi": None, "loss": {"perceptual": 0.0}}
    optimizer = {"kind": "adamp", "weight_decay": 1e-2}
    found = []
    for name in ("whole", "stopped"):
        recipe = tiny_recipe(tmp_path, name, changes={**plain, "optimizer": optimizer})
        if name == "stopped":
            assert train(recipe, max_minutes=0).reason is not None
        train(recipe, resume=name == "stopped")
        found.append(load_newest(recipe.run / "checkpoints")[0].student)
    assert all(torch.equal(found[1][key], value) for key, value in found[0].items())


def test_the_projection_takes_out_what_lies_along_the_weight() -> None:
    weight = torch.tensor([[3.0, 0.0], [0.0, 2.0]])
    upright = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    update = torch.tensor([[5.0, 7.0], [1.0, 4.0]])
    flat, decay = projected(weight, upright, update)
    torch.testing.assert_close(flat, torch.tensor([[0.0, 7.0], [1.0, 0.0]]))
    assert decay == pytest.approx(0.1)
    same, decay = projected(weight, weight, update)
    assert same is update
    assert decay == 1
    bias = torch.tensor([1.0, 0.0])
    assert projected(bias, torch.tensor([0.0, 1.0]), bias) == (bias, 1.0)
