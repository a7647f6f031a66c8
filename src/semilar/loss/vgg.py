"""VGG16 features for the perceptual and contrastive terms; weights come through `weights`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import torch
import torch.nn.functional as F  # noqa: N812
from pydantic import Field
from torch import Tensor, nn

from semilar import weights
from semilar.config import Part

# Each convolution: the name of its activation, channels in and out, its place in torchvision's
# `features` list, and whether the picture is halved before it.
_PLAN = {
    "relu1_1": (3, 64, 0, False),
    "relu1_2": (64, 64, 2, False),
    "relu2_1": (64, 128, 5, True),
    "relu2_2": (128, 128, 7, False),
    "relu3_1": (128, 256, 10, True),
    "relu3_2": (256, 256, 12, False),
    "relu3_3": (256, 256, 14, False),
}
LAYERS = tuple(_PLAN)
VggLayer = Literal["relu1_1", "relu1_2", "relu2_1", "relu2_2", "relu3_1", "relu3_2", "relu3_3"]

# What the ImageNet weights were trained on: encoded RGB in [0, 1], shifted and scaled.
_MEAN, _STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class FeatureSettings(Part):
    """Where the perceptual and contrastive terms get features."""

    kind: Literal["vgg16", "none"] = "vgg16"
    layers: Annotated[tuple[VggLayer, ...], Field(min_length=1)] = ("relu1_2", "relu2_2", "relu3_3")
    """Nothing after the last of them is computed."""
    normalize: bool = True
    """Apply ImageNet's mean and deviation, which makes the perceptual term several times larger;
    the authors' code does not."""
    scale: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Shrink pictures by this factor first; 0.5 costs a quarter."""


class Vgg16(nn.Module):
    """Frozen VGG16 up to relu3_3. `net(x)` gives the asked layers of encoded pictures in [0, 1]."""

    mean: Tensor
    std: Tensor

    def __init__(self, settings: FeatureSettings) -> None:
        super().__init__()
        self.settings = settings
        used = LAYERS[: 1 + max(LAYERS.index(name) for name in settings.layers)]
        self.convs = nn.ModuleDict(
            {name: nn.Conv2d(_PLAN[name][0], _PLAN[name][1], 3, padding=1) for name in used}
        )
        self.register_buffer("mean", torch.tensor(_MEAN).view(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor(_STD).view(1, 3, 1, 1))
        self.requires_grad_(False).eval()

    def forward(self, picture: Tensor) -> dict[str, Tensor]:
        x = picture.float()
        if self.settings.scale != 1:
            x = F.interpolate(x, scale_factor=self.settings.scale, mode="bilinear", antialias=True)
        if self.settings.normalize:
            x = (x - self.mean) / self.std
        found = {}
        for name, conv in self.convs.items():
            x = F.relu(conv(F.max_pool2d(x, 2) if _PLAN[name][3] else x))
            if name in self.settings.layers:
                found[name] = x
        return found

    def load(self, arrays: Mapping[str, Any]) -> "Vgg16":
        """Fill in the convolutions from arrays named as torchvision names them."""
        for name, conv in self.convs.items():
            for part in ("weight", "bias"):
                tensor = torch.from_numpy(arrays[f"features.{_PLAN[name][2]}.{part}"].copy())
                getattr(conv, part).data.copy_(tensor)
        return self


def vgg16(settings: FeatureSettings) -> Vgg16:
    """VGG16 with ImageNet weights; where they are missing, an error and no random features."""
    return Vgg16(settings).load(weights.load("vgg16"))
