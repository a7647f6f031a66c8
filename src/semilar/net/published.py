"""Networks with their authors' own ending, for weights that the authors published.

Here every network ends in the change of the scene, so that it starts as the identity; published
ones end in other ways, and their weights mean nothing without them.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from semilar.net.authors_raliformer import AuthorsRaLiFormer
from semilar.net.external import ExternalNet
from semilar.net.flare7k_unet import Flare7KUNet
from semilar.net.hinet import HINet
from semilar.net.interface import FlareNet
from semilar.net.mfdnet import MFDNet
from semilar.net.nafnet import NAFNet
from semilar.net.restormer import Restormer
from semilar.net.uformer import Uformer

Readout = Callable[[Tensor, Tensor], Tensor]  # planes and picture to scene (and flare), encoded


def _residual(planes: Tensor, picture: Tensor) -> Tensor:
    return picture + planes


def _sigmoid(planes: Tensor, picture: Tensor) -> Tensor:
    return planes.sigmoid()


def _sigmoid_of_sum(planes: Tensor, picture: Tensor) -> Tensor:
    scene, flare = planes.split(3, dim=1)
    return torch.cat([(scene + picture).sigmoid(), flare.sigmoid()], dim=1)


def _as_is(planes: Tensor, picture: Tensor) -> Tensor:
    return planes


ENDINGS: dict[str, Readout] = {
    "residual": _residual,  # three planes: the change
    "sigmoid": _sigmoid,  # three planes, the scene, or six, scene and flare
    "sigmoid-of-sum": _sigmoid_of_sum,  # six planes: change of the scene, flare
    "as-is": _as_is,  # three planes: the scene
}

# By the name in a model's card: the body and its ending.
PUBLISHED: dict[str, tuple[type[FlareNet], str]] = {
    "flare7k-uformer": (Uformer, "sigmoid"),
    "flare7k-unet": (Flare7KUNet, "sigmoid"),
    "semi-lar-raliformer": (AuthorsRaLiFormer, "sigmoid-of-sum"),
    "published-uformer": (Uformer, "residual"),
    "published-hinet": (HINet, "residual"),
    "published-restormer": (Restormer, "residual"),
    "published-nafnet": (NAFNet, "residual"),
    "published-mfdnet": (MFDNet, "as-is"),
}


class Ended(nn.Module):
    """The planes of `body`, then one of `ENDINGS`: (B, 3, H, W) to three or six planes."""

    def __init__(self, *, body: FlareNet, ending: str) -> None:
        super().__init__()
        self.body = body
        self.ending = ending
        self.multiple = body.multiple

    def forward(self, picture: Tensor) -> Tensor:
        return ENDINGS[self.ending](self.body.planes(picture), picture)


def build_published(name: str, **options: Any) -> FlareNet:
    """The network called `name` in `PUBLISHED`; `options` are its body's.

    A picture whose sides are multiples of `multiple` gives what the authors' code gives. Others
    are mirrored at the border, whatever the authors do there. A network of three planes gets its
    flare from what the scene lacks in linear light.
    """
    body, ending = PUBLISHED[name]
    return ExternalNet(module=Ended(body=body(**options), ending=ending))
