"""Layers that work on a feature map's spectrum: its two parts, or its amplitude and phase."""

import math
from typing import Literal

import torch
from torch import Tensor, nn

Scale = Literal["backward", "ortho"]
SLOPE = 0.1


def pixel_layers(channels: int, *between: nn.Module) -> nn.Sequential:
    """Two 1 x 1 convolutions around leaky ReLU and `between`."""
    return nn.Sequential(
        nn.Conv2d(channels, channels, 1),
        nn.LeakyReLU(SLOPE),
        *between,
        nn.Conv2d(channels, channels, 1),
    )


def real_and_imaginary(features: Tensor, scale: Scale = "backward") -> tuple[Tensor, Tensor]:
    """Both parts of the spectrum of (B, C, H, W), each (B, C, H, W / 2 + 1).

    `scale` is NumPy's `norm`: with "ortho" a spectrum is as large as its map, whatever the size.
    """
    parts = torch.view_as_real(torch.fft.rfft2(features, norm=scale))
    return parts[..., 0], parts[..., 1]


def from_real_and_imaginary(
    real: Tensor, imaginary: Tensor, size: tuple[int, int], scale: Scale = "backward"
) -> Tensor:
    """Undoes `real_and_imaginary` for a map of (height, width) `size`."""
    parts = torch.view_as_complex(torch.stack([real, imaginary], dim=-1))
    return torch.fft.irfft2(parts, s=size, norm=scale)


def spectrum(features: Tensor) -> tuple[Tensor, Tensor]:
    """Amplitude and phase of (B, C, H, W), each (B, C, H, W / 2 + 1)."""
    real, imaginary = real_and_imaginary(features)
    # Half a turn left and half a turn right are the same phase; where a spectrum is real, neither
    # rounding nor an engine's arctangent may decide which of them is meant.
    no_sine = own_mirror_image(features)
    imaginary = torch.where(no_sine, 0.0, imaginary)
    half_turn = no_sine & (real < 0)
    # A square root without a kink: its gradient at zero would be infinite.
    amplitude = torch.sqrt(real.square() + imaginary.square() + 1e-16)
    return amplitude, torch.where(half_turn, math.pi, torch.atan2(imaginary, real))


def own_mirror_image(features: Tensor) -> Tensor:
    """True where the spectrum of a real (B, C, H, W) is real: a frequency equal to its negative."""
    height, width = features.shape[-2:]
    rows = torch.arange(height, device=features.device)
    columns = torch.arange(width // 2 + 1, device=features.device)
    in_rows = (rows == 0) | (rows == height - rows)
    return in_rows[:, None] & ((columns == 0) | (columns == width - columns))


def from_spectrum(amplitude: Tensor, phase: Tensor, size: tuple[int, int]) -> Tensor:
    """Undoes `spectrum` for a map of (height, width) `size`."""
    return from_real_and_imaginary(amplitude * phase.cos(), amplitude * phase.sin(), size)


class SpectrumLayers(nn.Module):
    """Amplitude and phase, each through its own layers; `residual` adds what they were before."""

    def __init__(self, *, amplitude: nn.Module, phase: nn.Module, residual: bool) -> None:
        super().__init__()
        self.amplitude, self.phase, self.residual = amplitude, phase, residual

    def forward(self, features: Tensor) -> Tensor:
        height, width = features.shape[-2:]
        amplitude, phase = spectrum(features)
        new_amplitude, new_phase = self.amplitude(amplitude), self.phase(phase)
        if self.residual:
            new_amplitude, new_phase = new_amplitude + amplitude, new_phase + phase
        return from_spectrum(new_amplitude, new_phase, (height, width))
