"""The selective scan, beside the recurrence as it is written."""

from typing import Any

import pytest
import torch

from semilar.net.scan import selective_scan


def by_hand(x, delta, decay, write, read, passing):
    state = torch.zeros(*x.shape[:3], decay.shape[-1], dtype=x.dtype)
    results = []
    for t in range(x.shape[-1]):
        fade = torch.exp(delta[..., t, None] * decay)
        state = fade * state + (delta * x)[..., t, None] * write[:, :, None, :, t]
        results.append((state * read[:, :, None, :, t]).sum(-1) + passing * x[..., t])
    return torch.stack(results, dim=-1)


def inputs(length: int) -> tuple[torch.Tensor, ...]:
    torch.manual_seed(0)
    batch, groups, channels, states = 2, 3, 4, 5
    make: dict[str, Any] = {"dtype": torch.float64}
    return (
        torch.randn(batch, groups, channels, length, **make),
        torch.rand(batch, groups, channels, length, **make),
        -torch.rand(groups, channels, states, **make) * 3,
        torch.randn(batch, groups, states, length, **make),
        torch.randn(batch, groups, states, length, **make),
        torch.randn(groups, channels, **make),
    )


@pytest.mark.parametrize("length", [1, 7, 64, 203])
@pytest.mark.parametrize("chunk", [1, 8, 64])
def test_chunks_make_no_difference(length: int, chunk: int) -> None:
    given = inputs(length)
    torch.testing.assert_close(selective_scan(*given, chunk=chunk), by_hand(*given))


def test_gradients_are_those_of_the_recurrence() -> None:
    given = [value.requires_grad_() for value in inputs(37)]
    ours = torch.autograd.grad(selective_scan(*given, chunk=8).square().sum(), given)
    theirs = torch.autograd.grad(by_hand(*given).square().sum(), given)
    for one, two in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, two)
