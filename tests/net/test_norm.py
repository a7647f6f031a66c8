"""Normalisation against torch's own over the last axis."""

import torch
from torch.nn.functional import layer_norm, rms_norm

from semilar.net.norm import ChannelLayerNorm, ChannelNorm


def test_rms_over_channels_is_torch_rms_norm() -> None:
    norm = ChannelNorm(channels=6)
    torch.nn.init.normal_(norm.gain)
    x = torch.randn(2, 6, 5, 4)
    expected = rms_norm(x.permute(0, 2, 3, 1), (6,), norm.gain.flatten(), 1e-6)
    torch.testing.assert_close(norm(x), expected.permute(0, 3, 1, 2))


def test_layer_norm_over_channels_is_torch_layer_norm() -> None:
    norm = ChannelLayerNorm(channels=6)
    torch.nn.init.normal_(norm.gain)
    torch.nn.init.normal_(norm.bias)
    x = 3 + 2 * torch.randn(2, 6, 5, 4)
    expected = layer_norm(
        x.permute(0, 2, 3, 1), (6,), norm.gain.flatten(), norm.bias.flatten(), 1e-6
    )
    torch.testing.assert_close(norm(x), expected.permute(0, 3, 1, 2))
