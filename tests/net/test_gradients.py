"""Gradients of every block against finite differences, in double precision."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from semilar.net.blocks import ConvBlock, PSCBlock
from semilar.net.cab import ChannelGate, ConvGate
from semilar.net.desm import DESM
from semilar.net.external import flare_between
from semilar.net.hinet import HINBlock, SupervisedAttention
from semilar.net.nafnet import NAFBlock
from semilar.net.norm import ChannelLayerNorm, ChannelNorm
from semilar.net.relina import ReLinA
from semilar.net.restormer import TransformerBlock
from semilar.net.slcformer import GlobalLocalBlock
from semilar.net.uformer import LeWinBlock
from semilar.net.unet import double_conv

BLOCKS: dict[str, Callable[[], nn.Module]] = {
    "relina inside": lambda: ReLinA(channels=4, heads=2, kernel=3),
    "relina after": lambda: ReLinA(channels=4, heads=2, kernel=3, rank_branch="after"),
    "channel gate": lambda: ChannelGate(channels=4),
    "conv gate": lambda: ConvGate(channels=4),
    "desm": lambda: DESM(channels=4, length=3),
    "psc block": lambda: PSCBlock(channels=4, heads=2),
    "conv block": lambda: ConvBlock(channels=4),
    "rms norm": lambda: ChannelNorm(channels=4),
    "layer norm": lambda: ChannelLayerNorm(channels=4),
    "unet block": lambda: double_conv(4, 4),
    "lewin block": lambda: LeWinBlock(
        channels=4, heads=2, side=2, shift=1, expansion=1, modulated=True
    ),
    "hin block": lambda: HINBlock(inner=4, outer=4),
    "restormer block": lambda: TransformerBlock(channels=4, heads=2, expansion=2),
    "naf block": lambda: NAFBlock(channels=4),
    "slcformer block": lambda: GlobalLocalBlock(channels=4),
}


def awake(block: nn.Module) -> nn.Module:
    for parameter in block.parameters():
        if not parameter.any():
            nn.init.normal_(parameter, std=0.5)
    return block.double()


@pytest.mark.parametrize("name", BLOCKS)
def test_gradient_of_input_and_parameters(name: str) -> None:
    torch.manual_seed(3)
    block = awake(BLOCKS[name]())
    names, values = zip(*block.named_parameters(), strict=True)

    def run(x: torch.Tensor, *parameters: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(block, dict(zip(names, parameters, strict=True)), (x,))

    x = torch.randn(2, 4, 4, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(run, (x, *values), fast_mode=True)


def test_gradient_of_supervised_attention() -> None:
    torch.manual_seed(3)
    block = SupervisedAttention(channels=4).double()
    features = torch.randn(1, 4, 3, 3, dtype=torch.float64, requires_grad=True)
    picture = torch.rand(1, 3, 3, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(block, (features, picture), fast_mode=True)


def test_gradient_of_the_derived_flare() -> None:
    picture = torch.rand(1, 3, 3, 3, dtype=torch.float64) * 0.3 + 0.6
    scene = (picture - 0.3).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: flare_between(picture, x), (scene,))
    scene = picture.clone().requires_grad_()
    flare_between(picture, scene).sum().backward()
    assert scene.grad is not None
    assert torch.isfinite(scene.grad).all()
