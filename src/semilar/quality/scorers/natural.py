"""Statistics of natural scenes: the 36 features of NIQE (Mittal, Soundararajan, Bovik, 2013).

Brightness, freed of its local mean and contrast, follows a bell-like law in undamaged photographs.
The shape of that law and of the products of neighbouring pixels, at two scales, are the features.
"""

import torch
from torch import Tensor
from torch.nn import functional

PATCH = 96
# ITU-R BT.601 luma of encoded RGB, the grey that the published method works on.
_LUMA = (0.299, 0.587, 0.114)
_SHIFTS = ((0, 1), (1, 0), (1, 1), (1, -1))


def patch_features(batch: Tensor) -> tuple[Tensor, Tensor]:
    """Features of each 96 x 96 patch of pictures (B, 3, H, W), encoded; sides at least 96.

    Returns (B, P, 36) features and (B, P) sharpness, the mean local contrast of the patch.
    """
    grey = 255 * torch.einsum("c,bchw->bhw", batch.new_tensor(_LUMA), batch)[:, None]
    rows, columns = (side // PATCH * PATCH for side in grey.shape[-2:])
    grey = grey[..., :rows, :columns]
    half = functional.interpolate(
        grey, size=(rows // 2, columns // 2), mode="bicubic", antialias=True
    )
    found, sharpness = [], None
    for picture, side in ((grey, PATCH), (half, PATCH // 2)):
        normal, contrast = normalized(picture)
        found.append(_laws(normal, side))
        if sharpness is None:
            sharpness = _patches(contrast, side).mean(2)
    assert sharpness is not None
    return torch.cat(found, 2), sharpness


def normalized(grey: Tensor) -> tuple[Tensor, Tensor]:
    """(B, 1, H, W) in 0..255 to the same less its local mean, over local contrast; the contrast."""
    line = torch.exp(-0.5 * (torch.arange(-3, 4) / (7 / 6)) ** 2).to(grey)
    line = line / line.sum()

    def local_mean(x: Tensor) -> Tensor:
        x = functional.pad(x, (3, 3, 3, 3), mode="replicate")
        return functional.conv2d(functional.conv2d(x, line.view(1, 1, 1, 7)), line.view(1, 1, 7, 1))

    mean = local_mean(grey)
    contrast = (local_mean(grey**2) - mean**2).abs().sqrt()
    return (grey - mean) / (contrast + 1), contrast


def _patches(x: Tensor, side: int) -> Tensor:
    """(B, 1, H, W) -> (B, P, side * side)."""
    return functional.unfold(x, side, stride=side).mT


def _laws(normal: Tensor, side: int) -> Tensor:
    """The 18 features of one scale, (B, P, 18)."""
    shape, left, right = asymmetric_law(_patches(normal, side))
    features = [shape, (left + right) / 2]
    for down, across in _SHIFTS:
        neighbour = normal.roll((down, across), (2, 3))
        shape, left, right = asymmetric_law(_patches(normal * neighbour, side))
        mean = (right - left) * torch.exp(torch.lgamma(2 / shape) - torch.lgamma(1 / shape))
        features += [shape, mean, left, right]
    return torch.stack(features, 2)


def asymmetric_law(samples: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Fit an asymmetric generalized Gaussian to samples (..., N) by moment matching.

    Returns its shape (2: Gaussian, 1: Laplace) and the scales left and right of zero, (...).
    """
    negative, positive = samples < 0, samples > 0
    squares = samples**2
    left = ((squares * negative).sum(-1) / negative.sum(-1).clamp_min(1)).sqrt()
    right = ((squares * positive).sum(-1) / positive.sum(-1).clamp_min(1)).sqrt()
    ratio = (left / right.clamp_min(1e-9)).clamp(1e-3, 1e3)
    flatness = samples.abs().mean(-1) ** 2 / squares.mean(-1).clamp_min(1e-12)
    wanted = flatness * (ratio**3 + 1) * (ratio + 1) / (ratio**2 + 1) ** 2
    shapes = torch.arange(0.2, 10.0005, 0.001, dtype=torch.float64)
    # Grows with the shape: E|x|^2 / E x^2 of the symmetric law.
    table = torch.exp(
        2 * torch.lgamma(2 / shapes) - torch.lgamma(1 / shapes) - torch.lgamma(3 / shapes)
    )
    index = torch.searchsorted(table, wanted.double().cpu().contiguous()).clamp(max=len(table) - 1)
    shape = shapes[index].to(samples)
    widen = torch.exp(0.5 * (torch.lgamma(1 / shape) - torch.lgamma(3 / shape)))
    return shape, left * widen, right * widen


def distance(mean: Tensor, covariance: Tensor, other: Tensor, other_covariance: Tensor) -> Tensor:
    """How far two bundles of features lie apart, (B,): the published distance of NIQE."""
    gap = (mean - other).double()
    inverse = torch.linalg.pinv((covariance.double() + other_covariance.double()) / 2)
    squared = torch.einsum("...i,...ij,...j->...", gap, inverse, gap)
    return squared.clamp_min(0).sqrt()


def bundle(features: Tensor) -> tuple[Tensor, Tensor]:
    """Mean (..., 36) and covariance (..., 36, 36) of the features of patches (..., P, 36)."""
    mean = features.mean(-2)
    centred = features - mean[..., None, :]
    return mean, centred.mT @ centred / max(1, features.shape[-2] - 1)
