"""Layers that work on the amplitude and the phase of a feature map's spectrum."""

import torch
from torch import Tensor, nn

SLOPE = 0.1


def pixel_layers(channels: int, *between: nn.Module) -> nn.Sequential:
    """Two 1 x 1 convolutions around leaky ReLU and `between`."""
    return nn.Sequential(
        nn.Conv2d(channels, channels, 1),
        nn.LeakyReLU(SLOPE),
        *between,
        nn.Conv2d(channels, channels, 1),
    )


def spectrum(features: Tensor) -> tuple[Tensor, Tensor]:
    """Amplitude and phase of (B, C, H, W), each (B, C, H, W / 2 + 1)."""
    complex_ = torch.view_as_real(torch.fft.rfft2(features))
    real, imaginary = complex_[..., 0], complex_[..., 1]
    # Half a turn left and half a turn right are the same phase; where a spectrum is real, rounding
    # must not decide which of them is meant.
    imaginary = torch.where(imaginary.abs() <= 1e-5 * real.abs(), 0.0, imaginary)
    # A square root without a kink: its gradient at zero would be infinite.
    amplitude = torch.sqrt(real.square() + imaginary.square() + 1e-16)
    return amplitude, torch.atan2(imaginary, real)


def from_spectrum(amplitude: Tensor, phase: Tensor, size: tuple[int, int]) -> Tensor:
    """Undoes `spectrum` for a map of (height, width) `size`."""
    parts = torch.stack([amplitude * phase.cos(), amplitude * phase.sin()], dim=-1)
    return torch.fft.irfft2(torch.view_as_complex(parts), s=size)


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
