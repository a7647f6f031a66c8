"""AdamP: Adam that does not let norms of weights grow (Heo et al., ICLR 2021).

Where the gradient stands upright on a weight, as it does where a normalisation follows, the part of
the update along the weight changes nothing but its norm and is taken out. The authors' code trains
with it; the paper says Adam.
"""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

UPRIGHT = 0.1  # δ: how far from upright, in units of 1 / sqrt(size), still counts
DECAY_SHARE = 0.1  # of the weight decay where the update was projected
EPSILON = 1e-8


class AdamP(torch.optim.Optimizer):
    """Adam with projected updates and decoupled weight decay."""

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        *,
        lr: float,
        betas: tuple[float, float],
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(parameters, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        loss = None if closure is None else closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    update = self._adam(parameter, group["betas"])
                    update, decay = projected(parameter, parameter.grad, update)
                    parameter.mul_(1 - group["lr"] * group["weight_decay"] * decay)
                    parameter.add_(update, alpha=-group["lr"])
        return loss

    def _adam(self, parameter: Tensor, betas: tuple[float, float]) -> Tensor:
        """The update of Adam at learning rate 1."""
        state, (slow, fast), gradient = self.state[parameter], betas, parameter.grad
        assert gradient is not None
        if not state:
            state["step"] = torch.zeros(())
            state["mean"], state["square"] = (torch.zeros_like(parameter) for _ in range(2))
        state["step"] += 1
        mean = state["mean"].lerp_(gradient, 1 - slow)
        square = state["square"].mul_(fast).addcmul_(gradient, gradient, value=1 - fast)
        count = int(state["step"])
        deviation = (square / (1 - fast**count)).sqrt_().add_(EPSILON)
        return mean / (1 - slow**count) / deviation


def projected(weight: Tensor, gradient: Tensor, update: Tensor) -> tuple[Tensor, float]:
    """The update without its part along the weight, where the gradient is upright on it.

    Looked at channel by channel first, then as a whole; also gives the share of weight decay.
    Biases and gains are left alone.
    """
    if weight.ndim < 2:
        return update, 1.0
    for rows in (weight.shape[0], 1):
        w, g, u = (x.reshape(rows, -1) for x in (weight, gradient, update))
        cosine = torch.cosine_similarity(w, g, dim=1).abs().max()
        if float(cosine) < UPRIGHT / w.shape[1] ** 0.5:
            unit = w / w.norm(dim=1, keepdim=True).clamp_min(EPSILON)
            flat = u - unit * (unit * u).sum(dim=1, keepdim=True)
            return flat.view_as(update), DECAY_SHARE
    return update, 1.0
