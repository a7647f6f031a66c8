"""Cubic enlargement by a whole factor, as a convolution.

`interpolate(mode="bicubic")` gives the same numbers, but the ONNX exporter takes it at fixed sizes
only.
"""

import torch
from torch import Tensor
from torch.nn.functional import conv2d, pad, pixel_shuffle

_REACH = 2  # samples to either side that a new pixel may depend on
_SHARPNESS = -0.75  # of Keys' cubic; what PyTorch takes


def enlarge_cubic(features: Tensor, factor: int) -> Tensor:
    """(B, C, H, W) enlarged to (B, C, factor H, factor W), borders repeated.

    >>> enlarge_cubic(torch.ones(1, 1, 2, 3), 4).shape
    torch.Size([1, 1, 8, 12])
    """
    channels = features.shape[1]
    line = cubic_line(factor, device=features.device, dtype=features.dtype)
    kernel = torch.einsum("iy,jx->ijyx", line, line).flatten(0, 1)[:, None]
    padded = pad(features, (_REACH,) * 4, mode="replicate")
    phases = conv2d(padded, kernel.repeat(channels, 1, 1, 1), groups=channels)
    return pixel_shuffle(phases, factor)


def cubic_line(
    factor: int, *, device: torch.device | None = None, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Weights (factor, 5) of the samples around one, for each new pixel that takes its place."""
    phase = (torch.arange(factor, device=device, dtype=dtype) + 0.5) / factor - 0.5
    sample = torch.arange(-_REACH, _REACH + 1, device=device, dtype=dtype)
    return _keys(phase[:, None] - sample)


def _keys(distance: Tensor) -> Tensor:
    """Keys' cubic kernel: one polynomial within a sample's distance, one up to two, then zero."""
    x, a = distance.abs(), _SHARPNESS
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return torch.where(x <= 1, near, torch.where(x < 2, far, torch.zeros_like(x)))
