"""Anybody's own network, named as `package.module:Class`, under the same interface."""

import importlib
from typing import Any

import torch
from torch import Tensor, nn

from semilar.errors import SemilarError
from semilar.net.interface import FlareNet

GAMMA = 2.2


def load_class(name: str) -> type[nn.Module]:
    """The class called `package.module:Class`; a wrong name is an error."""
    module_name, _, class_name = name.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
    except ImportError as error:
        raise SemilarError(f"{name}: {module_name} cannot be imported ({error}).") from None
    except AttributeError:
        raise SemilarError(f"{name}: {module_name} has no {class_name}.") from None
    if not (isinstance(found, type) and issubclass(found, nn.Module)):
        raise SemilarError(f"{name}: not a torch.nn.Module.")
    return found


def flare_between(picture: Tensor, scene: Tensor) -> Tensor:
    """The light that was taken away, encoded, from two encoded pictures (power law of 2.2).

    Differences below half a level of 8 bits are taken as none, which also keeps the gradient
    finite.
    """
    threshold = (0.5 / 255) ** GAMMA
    removed = picture.clamp(0.0, 1.0) ** GAMMA - scene.clamp(1e-4, 1.0) ** GAMMA
    return torch.where(removed > threshold, removed.clamp(min=threshold) ** (1 / GAMMA), 0.0)


class ExternalNet(FlareNet):
    """Wraps a module that maps (B, 3, H, W) to 3 planes, the scene, or 6, the scene and the flare.

    The module may declare `multiple`, the number its picture's sides must divide by. Without a
    flare of its own, the flare is what the scene lacks in linear light.
    """

    def __init__(self, *, module: nn.Module) -> None:
        super().__init__()
        self.module = module
        self.multiple = int(getattr(module, "multiple", 1))

    def planes(self, picture: Tensor) -> Tensor:
        """Six planes: here the scene itself, not its change, and the flare."""
        planes = self.module(picture)
        if not isinstance(planes, Tensor) or planes.shape[1] not in (3, 6):
            got = tuple(planes.shape) if isinstance(planes, Tensor) else type(planes).__name__
            raise ValueError(f"expected 3 or 6 planes from {type(self.module).__name__}, got {got}")
        if planes.shape[1] == 3:
            planes = torch.cat([planes, flare_between(picture, planes)], dim=1)
        return planes

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        return self.planes_of_any_size(picture)


def build_external(name: str, **options: Any) -> FlareNet:
    """The class called `package.module:Class`, built with `options`; a `FlareNet` stays bare."""
    module = load_class(name)(**options)
    return module if isinstance(module, FlareNet) else ExternalNet(module=module)
