"""Learned perceptual image patch similarity (Zhang et al. 2018) with AlexNet features.

The published flare tables feed pictures in [0, 1] to a network made for [-1, 1]. Both conventions
are offered and every output names the one it used: "published" and "intended".
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from semilar.errors import SemilarError
from semilar.extras import load_extra
from semilar.quality.picture_pair import Picture, as_levels
from semilar.weights import load, locate

Convention = Literal["published", "intended"]

# The constants of the LPIPS input layer: ImageNet's mean and deviation for pictures in [-1, 1].
_SHIFT = (-0.030, -0.088, -0.188)
_SCALE = (0.458, 0.448, 0.450)
_SMALLEST = 31  # AlexNet's third to fifth layers see at least one pixel


class Lpips:
    """LPIPS with AlexNet. Weights are those `semilar.weights.load` gives.

    Calling it with two encoded pictures gives the distance (0 is equal, lower is better).
    """

    def __init__(
        self,
        *,
        alexnet: Mapping[str, NDArray[np.float32]] | None = None,
        heads: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> None:
        self._torch = load_extra("torch", "train")
        tensors = {**(alexnet or load("alexnet")), **(heads or load("lpips-alex"))}
        self._tensors = {key: self._torch.from_numpy(value) for key, value in tensors.items()}

    def __call__(
        self, picture: Picture, truth: Picture, *, convention: Convention = "published"
    ) -> float:
        """The distance of two encoded (H, W, 3) pictures in the named convention."""
        return self.against(truth, [picture], convention=convention)[0]

    def against(
        self, truth: Picture, pictures: Sequence[Picture], *, convention: Convention
    ) -> list[float]:
        """The distances of several pictures from one truth, whose features are computed once."""
        if min(truth.shape[:2]) < _SMALLEST:
            raise SemilarError(f"LPIPS needs pictures of at least {_SMALLEST} pixels a side.")
        levels = [as_levels(picture, truth) for picture in pictures]
        stack = np.stack([levels[0][1], *(own for own, _ in levels)]).transpose(0, 3, 1, 2)
        with self._torch.no_grad():
            batch = self._torch.from_numpy((stack / 255).astype(np.float32))
            return self.distances(batch, convention).tolist()

    def distances(self, batch: Any, convention: Convention) -> Any:
        """Distances (B - 1,) of the first picture of (B, 3, H, W), encoded [0, 1], to the rest."""
        torch = self._torch
        shift, scale = (torch.tensor(v).view(1, 3, 1, 1) for v in (_SHIFT, _SCALE))
        pictures = batch if convention == "published" else batch * 2 - 1
        total = torch.zeros(len(batch) - 1)
        for layer, features in enumerate(self._features((pictures - shift) / scale)):
            length = torch.sqrt((features**2).sum(dim=1, keepdim=True))
            unit = features / (length + 1e-10)
            head = self._tensors[f"lin{layer}.model.1.weight"]  # (1, C, 1, 1)
            total = total + (head * (unit[1:] - unit[:1]) ** 2).sum(dim=1).mean(dim=(1, 2))
        return total

    def _features(self, x: Any) -> list[Any]:
        """The five rectified convolution layers of AlexNet."""
        functional = self._torch.nn.functional

        def convolve(x: Any, position: int, **options: int) -> Any:
            weight = self._tensors[f"features.{position}.weight"]
            bias = self._tensors[f"features.{position}.bias"]
            return functional.relu(functional.conv2d(x, weight, bias, **options))

        first = convolve(x, 0, stride=4, padding=2)
        second = convolve(functional.max_pool2d(first, 3, 2), 3, padding=2)
        third = convolve(functional.max_pool2d(second, 3, 2), 6, padding=1)
        fourth = convolve(third, 8, padding=1)
        return [first, second, third, fourth, convolve(fourth, 10, padding=1)]


def check_lpips() -> None:
    """An error if torch or the weights are missing; torch first, for without it no weights help."""
    load_extra("torch", "train")
    for name in ("alexnet", "lpips-alex"):
        locate(name)


@lru_cache(maxsize=1)
def shared_lpips() -> Lpips:
    """The network with the fetched weights, built once per process."""
    return Lpips()


def lpips(picture: Picture, truth: Picture, *, convention: Convention = "published") -> float:
    """LPIPS of two encoded pictures: "published" feeds [0, 1], "intended" feeds [-1, 1]."""
    return shared_lpips()(picture, truth, convention=convention)
