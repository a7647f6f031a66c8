"""What every network looks like from outside: `scene, flare = net(picture)`, any size.

The picture is encoded light in [0, 1], shape (B, 3, H, W), any height and width from 16 up. The
body of a network sees a picture whose sides are multiples of `multiple`; padding and cropping
happen here, and so does the residual form of the output: with a zeroed last layer the scene is the
picture itself, bit for bit, and the flare is black.
"""

from abc import abstractmethod
from typing import cast

import torch
from torch import Tensor, nn

MIN_SIZE = 16


class FlareNet(nn.Module):
    """A network that splits a picture into the scene and its flare.

    A subclass sets `multiple` and writes `planes`, which maps a padded picture (B, 3, H, W) to six
    planes (B, 6, H, W): the change of the scene, then the flare. Both outputs are encoded light;
    they are not clipped, so that a loss still pulls back what left the range.
    """

    multiple: int = 1

    @abstractmethod
    def planes(self, picture: Tensor) -> Tensor:
        """Six planes for a picture whose sides are multiples of `multiple`."""

    def planes_of_any_size(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        """The first three and the last three planes for a picture (B, 3, H, W)."""
        check_picture(picture)
        height, width = picture.shape[-2:]
        padded, (top, left) = pad_to_multiple(picture, self.multiple)
        planes = self.planes(padded)[..., top : top + height, left : left + width]
        first, last = planes.split(3, dim=1)
        return first, last

    def forward(self, picture: Tensor) -> tuple[Tensor, Tensor]:
        change, flare = self.planes_of_any_size(picture)
        return picture + change, flare


def check_picture(picture: Tensor) -> None:
    """Raise ValueError unless `picture` is what networks take; says what was expected.

    Values are looked at only when the network runs for real: a traced or compiled graph cannot
    branch on them.
    """
    wanted = f"expected a float tensor (B, 3, H, W) with H and W of at least {MIN_SIZE}"
    if picture.ndim != 4 or picture.shape[1] != 3:
        raise ValueError(f"{wanted}, got shape {tuple(picture.shape)}")
    if not picture.is_floating_point():
        raise ValueError(f"{wanted} and values in [0, 1], got {picture.dtype}")
    if torch.compiler.is_compiling() or torch.compiler.is_exporting():
        return
    if min(picture.shape[-2:]) < MIN_SIZE:
        raise ValueError(f"{wanted}, got shape {tuple(picture.shape)}")
    if not bool(torch.isfinite(picture.detach().sum())):
        raise ValueError(f"{wanted} and finite values, got NaN or infinity")


def pad_to_multiple(picture: Tensor, multiple: int) -> tuple[Tensor, tuple[int, int]]:
    """Mirror the borders until both sides are multiples; also where the picture then starts.

    Half of the padding goes to each side. Rows and columns are gathered by index, not padded: a
    graph exported with free height and width then knows that the result divides by `multiple`.
    """
    height, width = picture.shape[-2:]
    tall, wide = ((side + multiple - 1) // multiple * multiple for side in (height, width))
    if not torch.compiler.is_exporting() and (tall, wide) == (height, width):
        return picture, (0, 0)
    top, left = (tall - height) // 2, (wide - width) // 2
    rows = mirrored(torch.arange(tall, device=picture.device) - top, height)
    columns = mirrored(torch.arange(wide, device=picture.device) - left, width)
    return picture[:, :, rows][:, :, :, columns], (top, left)


def mirrored(index: Tensor, size: int) -> Tensor:
    """Indices outside 0..size-1 reflected at the first and the last until they are inside.

    Each round takes them nearer by a whole picture; the smallest picture needs three for the
    largest multiple of any network, 128.
    """
    last = size - 1
    for _ in range(3):
        index = last - (last - index.abs()).abs()
    return index


def zero_last(layer: nn.Module) -> None:
    """Zero a network's last convolution: it then starts as the exact identity."""
    convolution = cast(nn.Conv2d, layer)
    nn.init.zeros_(convolution.weight)
    if convolution.bias is not None:
        nn.init.zeros_(convolution.bias)
