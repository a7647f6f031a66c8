"""The frequency term L_FFT of section 3.5: L1 distance of the two spectra."""

import torch
from torch import Tensor


def fft_l1(output: Tensor, target: Tensor) -> Tensor:
    """Mean |F(output) - F(target)| of each encoded picture, (B, 3, H, W) -> (B,).

    The transform is orthonormal, so a given error counts the same at every picture size; the
    half plane that a real picture's symmetry repeats is left out. The transform is linear, so one
    transform of the difference does the work of two.
    """
    difference = (output - target).float()  # half precision has no general FFT
    spectrum = torch.fft.rfft2(difference, norm="ortho")
    return torch.view_as_real(spectrum).abs().mean(dim=(1, 2, 3, 4))
