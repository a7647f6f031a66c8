"""The teacher: an exponential moving average of the student (section 3.1, equation 1)."""

import copy

import torch
from torch import Tensor, nn


def ema_momentum(updates: int, ceiling: float) -> float:
    """α after `updates` updates: min(1 − 1/(t + 1), ceiling), so that the start is forgotten.

    >>> [ema_momentum(t, 0.999) for t in (0, 1, 3)]
    [0.0, 0.5, 0.75]
    """
    return min(1 - 1 / (updates + 1), ceiling)


class Teacher:
    """θ̄ ← α θ̄ + (1 − α) θ after every optimizer step; buffers are copied.

    The network is always in evaluation mode and never takes gradients. `updates` is part of the
    checkpoint: a resumed ramp goes on where it stopped.
    """

    def __init__(self, student: nn.Module, *, momentum: float, updates: int = 0) -> None:
        self.net = copy.deepcopy(student).requires_grad_(False).eval()
        self.momentum, self.updates = momentum, updates

    @torch.no_grad()
    def update(self, student: nn.Module) -> float:
        """Take one step towards the student; gives the α that was used."""
        alpha = ema_momentum(self.updates, self.momentum)
        for own, other in zip(self.net.parameters(), student.parameters(), strict=True):
            own.lerp_(other, 1 - alpha)
        for own, other in zip(self.net.buffers(), student.buffers(), strict=True):
            own.copy_(other)
        self.updates += 1
        return alpha

    @torch.no_grad()
    def __call__(self, picture: Tensor) -> Tensor:
        """The restored scene of encoded pictures (B, 3, H, W)."""
        return self.net(picture)[0]
