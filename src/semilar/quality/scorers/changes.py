"""What a restoration changed that was no flare: a version of a photo beside the photo itself.

Two things are true of every flare: it only adds light, and it adds it smoothly over most of the
picture. So what a restoration takes away from its photo may be any amount of light, but it is
nowhere less than nothing, and the fine detail of most places, in linear light, stays what it was.
"""

import torch
from torch import Tensor
from torch.nn import functional

from semilar.quality.scorers.cues import CELL

_ROUNDING = 2 / 255
_FAINT = 2e-3  # detail in linear light that is not told from rounding


def added_light(picture: Tensor, photo: Tensor) -> Tensor:
    """Mean square of the light that `picture` has and `photo` has not, (B,); both encoded."""
    return (picture - photo - _ROUNDING).clamp_min(0).square().mean((1, 2, 3))


def changed_detail(picture: Tensor, photo: Tensor) -> Tensor:
    """Share of its fine detail that half of a picture lost or won, (B,); both encoded, sides of 8.

    Of three channels the one that changed most. Places count by their detail: most of a night is
    black.
    """
    own, before = _detail(picture), _detail(photo)
    power = functional.avg_pool2d(own.square(), CELL).flatten(2)
    change = functional.avg_pool2d((own - before).square(), CELL).flatten(2)
    known = functional.avg_pool2d(before.square(), CELL).flatten(2)
    share = change / (torch.minimum(known, power) + _FAINT**2)
    return _weighted_median(share, power + _FAINT**2).amax(1)


def _detail(x: Tensor) -> Tensor:
    """Fine detail of encoded pictures in linear light; a plain square stands in for the curve."""
    light = x.square()
    padded = functional.pad(light, [1] * 4, mode="replicate")
    return light - functional.avg_pool2d(padded, 3, stride=1)


def _weighted_median(x: Tensor, weights: Tensor) -> Tensor:
    """(..., N) -> (...): half of the weight is below it."""
    values, order = x.sort(-1)
    shares = weights.gather(-1, order).cumsum(-1)
    place = (shares < shares[..., -1:] / 2).sum(-1, keepdim=True)
    return values.gather(-1, place)[..., 0]
