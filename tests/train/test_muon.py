"""Muon against the plain iteration, the SVD and torch's own Adam."""

import pytest
import torch
from torch import nn

from semilar.net import build
from semilar.train.muon import QUINTIC, ROUNDS, Muon, orthogonalized, split


def plain_iteration(matrix: torch.Tensor) -> torch.Tensor:
    a, b, c = QUINTIC
    x = matrix / matrix.norm()
    for _ in range(ROUNDS):
        gram = x @ x.T
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x


@pytest.mark.parametrize("shape", [(16, 16), (24, 216), (96, 40)])
def test_orthogonalized_matrices_keep_their_directions_and_lose_their_stretch(
    shape: tuple[int, int],
) -> None:
    matrix = torch.randn(*shape, generator=torch.Generator().manual_seed(1))
    found = orthogonalized(matrix)
    u, _, v = torch.linalg.svd(matrix, full_matrices=False)
    values = torch.linalg.svdvals(found)
    assert values.max() < 1.25
    assert values.median() > 0.65
    inside = u.T @ found @ v.T
    assert (inside - torch.diag(inside.diagonal())).abs().max() < 1e-3
    torch.testing.assert_close(found, plain_iteration(matrix), atol=1e-3, rtol=0)


def test_only_matrices_between_features_are_made_orthogonal() -> None:
    net = build("raliformer-t")
    inside, rest = split(net)
    assert len(inside) + len(rest) == len(list(net.parameters()))
    names = {id(p): name for name, p in net.named_parameters()}
    adams = {names[id(p)] for p in rest}
    assert {"project_in.1.weight", "project_out.0.weight"} <= adams
    assert all(p.ndim >= 2 and p.shape[1] > 1 for p in inside)
    assert sum(p.numel() for p in inside) > 0.9 * sum(p.numel() for p in net.parameters())


def test_the_rest_moves_as_with_adam() -> None:
    torch.manual_seed(3)
    ours = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
    theirs = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
    theirs.load_state_dict(ours.state_dict())
    assert split(ours)[0] == []  # nothing but a first and a last layer
    optimizers = [
        Muon(ours, lr=1e-2, betas=(0.9, 0.99)),
        torch.optim.Adam(theirs.parameters(), lr=1e-2, betas=(0.9, 0.99)),
    ]
    for _ in range(20):
        x = torch.randn(16, 4)
        for net, optimizer in zip((ours, theirs), optimizers, strict=True):
            optimizer.zero_grad()
            net(x).square().mean().backward()
            optimizer.step()
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-5)


def test_muon_learns_a_linear_map_between_features() -> None:
    torch.manual_seed(4)
    net = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8))
    wanted = torch.randn(8, 8) / 3
    optimizer = Muon(net, lr=1e-2, betas=(0.9, 0.99))
    losses = []
    for _ in range(200):
        x = torch.randn(64, 8)
        loss = (net(x) - x @ wanted).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 20
