"""Pixel losses on encoded pictures (B, 3, H, W): the L1 term of sections 3.5 and its relatives.

Every function gives one value per picture, (B,), so that a caller can leave pictures out or weight
them before it takes the mean.
"""

import torch
from torch import Tensor


def l1(output: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
    """Mean absolute difference of each picture; `weight` (B, 1, H, W) counts pixels differently.

    >>> l1(torch.ones(1, 3, 2, 2), torch.zeros(1, 3, 2, 2)).tolist()
    [1.0]
    """
    return _mean((output - target).abs(), weight)


def l2(output: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
    """Mean squared difference of each picture."""
    return _mean((output - target).square(), weight)


def l1_l2(output: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
    """0.8 L1 + 0.2 L2, the pixel term of the authors' code."""
    return 0.8 * l1(output, target, weight) + 0.2 * l2(output, target, weight)


def charbonnier(
    output: Tensor, target: Tensor, weight: Tensor | None = None, *, epsilon: float = 1e-3
) -> Tensor:
    """sqrt(d² + ε²), a smooth L1; the unsupervised pixel term of the authors' code."""
    return _mean(((output - target).square() + epsilon**2).sqrt(), weight)


def log_l2(
    output: Tensor, target: Tensor, weight: Tensor | None = None, *, floor: float = 1e-4
) -> Tensor:
    """log(1 + L2 / floor): PSNR as a loss, so a picture with a weak flare counts like a strong one.

    Differences well under `floor` (40 dB) count as plain L2, which keeps pictures that are already
    right from ruling the batch.
    """
    return (l2(output, target, weight) / floor).log1p()


PIXEL_LOSSES = {"l1": l1, "l1_l2": l1_l2, "charbonnier": charbonnier, "log_l2": log_l2}


def flare_weight(flare: Tensor, *, gain: float, full_at: float = 0.1) -> Tensor:
    """How much each pixel counts, (B, 1, H, W): 1 where there is no flare, 1 + gain where it is.

    A plain pixel loss over weak flares is nearly minimal for a network that does nothing; pixels
    that the flare (encoded) lifts by `full_at` or more count 1 + gain times.
    """
    strength = flare.amax(dim=1, keepdim=True) / full_at
    return 1 + gain * strength.clamp(0, 1)


def _mean(error: Tensor, weight: Tensor | None) -> Tensor:
    if weight is None:
        return error.mean(dim=(1, 2, 3))
    total = weight.sum(dim=(1, 2, 3)) * error.shape[1]
    return (error * weight).sum(dim=(1, 2, 3)) / total


def keep_valid(per_picture: Tensor, valid: Tensor) -> Tensor:
    """Mean over the batch with invalid pictures counted as zero (section 3.2, validity mask).

    Dividing by the batch rather than by the number of valid pictures gives the same gradient
    whether the batch lies on one process or is split over several.
    """
    return torch.where(valid, per_picture, torch.zeros_like(per_picture)).mean()
