"""Muon: momentum whose matrix updates are made orthogonal, with Adam for all other parameters.

For a weight seen as a matrix (output channels x everything else), the update is the nearest
semi-orthogonal matrix to the momentum, found by five steps of a quintic Newton-Schulz iteration
(Jordan et al., "Muon: an optimizer for hidden layers in neural networks", 2024), and scaled so that
its root mean square matches Adam's (Liu et al., "Muon is scalable for LLM training", 2025): one
learning rate then fits both kinds of parameter. A step costs more than Adam's, but far fewer are
needed: `docs/training.md` has figures.
"""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

QUINTIC = (3.4445, -4.7750, 2.0315)
ROUNDS = 5
MATCH_ADAM = 0.2
MOMENTUM = 0.95
EPSILON = 1e-8


def orthogonalized(matrix: Tensor) -> Tensor:
    """Nearly U Vᵀ of the matrix U S Vᵀ: singular values between about 0.7 and 1.2.

    Each round maps X to (a + b A + c A²) X with A = X Xᵀ. The factors are polynomials of the first
    A and commute, so the rounds run on that small square matrix, and X is multiplied once.
    """
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix
    x = x / (x.norm() + 1e-7)
    a, b, c = QUINTIC
    gram = x @ x.T
    unit = torch.eye(len(gram), device=x.device, dtype=x.dtype)
    product = unit
    for _ in range(ROUNDS):
        factor = a * unit + b * gram + c * (gram @ gram)
        product = factor @ product
        gram = factor @ gram @ factor
    x = product @ x
    return x.T if tall else x


class Muon(torch.optim.Optimizer):
    """Muon for the convolutions and projections inside a network, Adam for the rest.

    Adam keeps what is no such matrix: biases, norms, depth-wise filters, and the first and the last
    layer, which touch pictures.
    """

    def __init__(self, net: nn.Module, *, lr: float, betas: tuple[float, float]) -> None:
        inside, rest = split(net)
        groups: Iterable[dict[str, Any]] = [
            {"params": inside, "muon": True},
            {"params": rest, "muon": False},
        ]
        super().__init__(groups, {"lr": lr, "betas": betas})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        loss = None if closure is None else closure()
        for group in self.param_groups:
            move = self._move_matrix if group["muon"] else self._move_plain
            for parameter in group["params"]:
                if parameter.grad is not None:
                    move(parameter, group)
        return loss

    def _move_matrix(self, parameter: Tensor, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["momentum"] = torch.zeros_like(parameter)
        assert parameter.grad is not None
        momentum = state["momentum"].mul_(MOMENTUM).add_(parameter.grad)
        ahead = parameter.grad.add(momentum, alpha=MOMENTUM).flatten(1)
        scale = MATCH_ADAM * max(ahead.shape) ** 0.5
        update = orthogonalized(ahead).reshape(parameter.shape)
        parameter.add_(update, alpha=-group["lr"] * scale)

    def _move_plain(self, parameter: Tensor, group: dict[str, Any]) -> None:
        state, (slow, fast) = self.state[parameter], group["betas"]
        if not state:
            state["step"] = torch.zeros(())
            state["mean"] = torch.zeros_like(parameter)
            state["square"] = torch.zeros_like(parameter)
        assert parameter.grad is not None
        state["step"] += 1
        mean = state["mean"].lerp_(parameter.grad, 1 - slow)
        square = state["square"].mul_(fast).addcmul_(parameter.grad, parameter.grad, value=1 - fast)
        count = int(state["step"])
        deviation = (square / (1 - fast**count)).sqrt_().add_(EPSILON)
        parameter.addcdiv_(mean, deviation, value=-group["lr"] / (1 - slow**count))


def split(net: nn.Module) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Weights that are matrices between two feature spaces, and all other parameters."""
    parameters = list(net.parameters())
    matrices = [p for p in parameters if p.ndim >= 2 and min(p.shape[0], p[0].numel()) > 1]
    inside = [p for p in matrices[1:-1] if p.shape[1] > 1]
    chosen = {id(parameter) for parameter in inside}
    return inside, [p for p in parameters if id(p) not in chosen]
