"""Numbers that change during training: learning rate, η and λ_cr (section 3, appendix B)."""

import math

from semilar.train.recipe import Optimizer, Semi


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


def unsupervised_weight(epoch: float, semi: Semi) -> float:
    """η of the total loss: 0 before `start_epoch`, then eta · exp(−5 (1 − t / eta_epochs)²)."""
    since = epoch - semi.start_epoch
    if since < 0:
        return 0.0
    missing = max(0.0, 1 - since / semi.eta_epochs) if semi.eta_epochs else 0.0
    return semi.eta * math.exp(-5 * missing**2)


def contrastive_weight(epoch: float, semi: Semi) -> float:
    """λ_cr: constant as in the paper, or growing in a line over `ramp_epochs`."""
    since = epoch - semi.start_epoch
    if not semi.contrastive.ramp_epochs:
        return semi.contrastive.weight
    return semi.contrastive.weight * min(1.0, max(0.0, since / semi.contrastive.ramp_epochs))
