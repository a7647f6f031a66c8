"""VGG16 features for the perceptual and contrastive terms; weights come through `weights`."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

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

# What the ImageNet weights were trained on: encoded RGB in [0, 1], shifted and scaled.
_MEAN, _STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Vgg16(nn.Module):
    """Frozen VGG16 up to relu3_3. `net(x)` gives the asked layers of encoded pictures in [0, 1].

    Args:
        layers: names like `relu2_2`; nothing after the last of them is computed.
        normalize: apply ImageNet's mean and deviation; the authors' code does not.
        scale: shrink pictures by this factor first; 0.5 costs a quarter.
    """

    mean: Tensor
    std: Tensor

    def __init__(
        self, *, layers: Sequence[str], normalize: bool = True, scale: float = 1.0
    ) -> None:
        super().__init__()
        unknown = [name for name in layers if name not in LAYERS]
        if unknown:
            raise ValueError(f"VGG16 layer {unknown[0]} is none of {', '.join(LAYERS)}")
        self.layers = tuple(layers)
        self.normalize, self.scale = normalize, scale
        used = LAYERS[: 1 + max(LAYERS.index(name) for name in layers)]
        self.convs = nn.ModuleDict(
            {name: nn.Conv2d(_PLAN[name][0], _PLAN[name][1], 3, padding=1) for name in used}
        )
        self.register_buffer("mean", torch.tensor(_MEAN).view(1, 3, 1, 1))
        self.register_buffer("std", torch.tensor(_STD).view(1, 3, 1, 1))
        self.requires_grad_(False).eval()

    def forward(self, picture: Tensor) -> dict[str, Tensor]:
        x = picture.float()
        if self.scale != 1:
            x = F.interpolate(x, scale_factor=self.scale, mode="bilinear", antialias=True)
        if self.normalize:
            x = (x - self.mean) / self.std
        found = {}
        for name, conv in self.convs.items():
            x = F.relu(conv(F.max_pool2d(x, 2) if _PLAN[name][3] else x))
            if name in self.layers:
                found[name] = x
        return found

    def load(self, arrays: Mapping[str, Any]) -> "Vgg16":
        """Fill in the convolutions from arrays named as torchvision names them."""
        for name, conv in self.convs.items():
            for part in ("weight", "bias"):
                tensor = torch.from_numpy(arrays[f"features.{_PLAN[name][2]}.{part}"].copy())
                getattr(conv, part).data.copy_(tensor)
        return self


def vgg16(*, layers: Sequence[str], normalize: bool = True, scale: float = 1.0) -> Vgg16:
    """VGG16 with ImageNet weights; a sentence and no network where they are missing."""
    from semilar import weights

    net = Vgg16(layers=layers, normalize=normalize, scale=scale)
    return net.load(weights.load("vgg16"))
