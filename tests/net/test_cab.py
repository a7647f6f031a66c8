"""The channel gate against its formula."""

import numpy as np
import torch

from semilar.net.cab import ChannelGate, ConvGate


def test_gate_is_the_paper_formula() -> None:
    block = ChannelGate(channels=16, reduction=4)
    x = torch.randn(2, 16, 5, 7)
    weight = {name: tensor.detach().numpy() for name, tensor in block.named_parameters()}
    z = x.numpy().mean(axis=(2, 3))
    hidden = np.maximum(z @ weight["squeeze.weight"][:, :, 0, 0].T + weight["squeeze.bias"], 0)
    score = hidden @ weight["excite.weight"][:, :, 0, 0].T + weight["excite.bias"]
    expected = x.numpy() * (1 / (1 + np.exp(-score)))[:, :, None, None]
    np.testing.assert_allclose(block(x).detach().numpy(), expected, rtol=1e-5, atol=1e-6)


def test_conv_form_looks_at_neighbours_and_the_gate_does_not() -> None:
    x = torch.zeros(1, 8, 9, 9)
    x[:, :, 4, 4] = 1
    gate, conv = ChannelGate(channels=8), ConvGate(channels=8)
    far, near = conv(x)[..., 0, 0], conv(x)[..., 4, 5]
    assert not gate(x)[..., 4, 5].any()
    assert (near - far).abs().max() > 1e-6
