"""The learning rate over time (appendix B); η and λ_cr are in `semilar.semi.settings`."""

import math

from semilar.train.recipe import Optimizer


def learning_rate(step: int, steps: int, optimizer: Optimizer, factor: float = 1.0) -> float:
    """η(t) = η0 · t / N_warm, then a cosine down to `final`; per step, counted from 0.

    The first step already moves: t counts from 1.
    """
    if step < optimizer.warmup:
        share = (step + 1) / optimizer.warmup
    else:
        done = (step - optimizer.warmup) / max(1, steps - optimizer.warmup)
        share = optimizer.final + (1 - optimizer.final) * (1 + math.cos(math.pi * done)) / 2
    return optimizer.lr * factor * share
