"""Normalisation over channels that stays in the picture's layout."""

import torch
from torch import Tensor, nn


def rms_over_channels(features: Tensor, epsilon: float) -> Tensor:
    """Each pixel's channels (B, C, H, W), scaled to a mean square of one."""
    return features * torch.rsqrt(features.square().mean(dim=1, keepdim=True) + epsilon)


class ChannelNorm(nn.Module):
    """RMS normalisation over the channels of every pixel, with a gain per channel.

    Layer normalisation's effect at less cost: no mean is subtracted, nothing is permuted, and it
    exports to plain operators.
    """

    def __init__(self, *, channels: int, epsilon: float = 1e-6) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels, 1, 1))
        self.epsilon = epsilon

    def forward(self, features: Tensor) -> Tensor:
        return rms_over_channels(features, self.epsilon) * self.gain


class ChannelLayerNorm(nn.Module):
    """Layer normalisation over the channels of every pixel, as NAFNet and Restormer publish it."""

    def __init__(self, *, channels: int, epsilon: float = 1e-6) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels, 1, 1))
        self.bias = nn.Parameter(torch.zeros(channels, 1, 1))
        self.epsilon = epsilon

    def forward(self, features: Tensor) -> Tensor:
        centred = features - features.mean(dim=1, keepdim=True)
        return rms_over_channels(centred, self.epsilon) * self.gain + self.bias


class ChannelScaleNorm(nn.Module):
    """Division by the deviation over the channels of every pixel; the mean is not taken away.

    Restormer's layer normalisation without bias, as its denoising networks have it.
    """

    def __init__(self, *, channels: int, epsilon: float = 1e-5) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels, 1, 1))
        self.epsilon = epsilon

    def forward(self, features: Tensor) -> Tensor:
        variance = features.var(dim=1, keepdim=True, unbiased=False)
        return features * torch.rsqrt(variance + self.epsilon) * self.gain
