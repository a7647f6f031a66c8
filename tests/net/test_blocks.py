"""How blocks and scales are put together: the paper's sums, written out."""

import pytest
import torch
from torch import Tensor, nn

from semilar.net.blocks import ConvBlock, PSCBlock
from semilar.net.raliformer import RaLiFormer


def awake(net: nn.Module) -> nn.Module:
    """No parameter is zero or plain one, so that every branch says something of its own."""
    torch.manual_seed(4)
    for parameter in net.parameters():
        nn.init.normal_(parameter, std=0.3)
    return net.double().eval()


def test_psc_block_is_x_plus_attention_plus_channels_then_feed_forward() -> None:
    block = awake(PSCBlock(channels=4, heads=2))
    assert isinstance(block, PSCBlock)
    x = torch.randn(2, 4, 6, 5, dtype=torch.float64)
    normal = block.norm_mix(x)
    attention, channels = block.attention(normal), block.channel(normal)
    between = x + attention + channels
    feed = block.feed(block.norm_feed(between))
    for part in (attention, channels, feed):
        assert part.abs().max() > 0.05, "every branch counts in this test"
    torch.testing.assert_close(block(x), between + feed)


def test_conv_block_keeps_its_input() -> None:
    block = awake(ConvBlock(channels=4))
    assert isinstance(block, ConvBlock)
    x = torch.randn(2, 4, 6, 5, dtype=torch.float64)
    torch.testing.assert_close(block(x), x + block.body(x))


@pytest.mark.parametrize("skip", ["add", "concat"])
def test_the_decoder_takes_the_encoders_features(skip) -> None:
    """Two scales by hand: encoder, bottleneck, decoder of D + skip, or of both side by side."""
    net = awake(
        RaLiFormer(widths=(4, 8), depths=(1, 1, 1), blocks=("conv",) * 2, head_width=4, skip=skip)
    )
    assert isinstance(net, RaLiFormer)
    picture = torch.rand(1, 3, 8, 12, dtype=torch.float64)
    kept: Tensor = net.encoder[0](net.project_in(picture))
    deep = net.enlarge[0](net.bottleneck(net.shrink[0](kept)))
    joined = deep + kept if skip == "add" else torch.cat([deep, kept], dim=1)
    torch.testing.assert_close(net.planes(picture), net.project_out(net.decoder[0](joined)))


def test_a_skipped_branch_is_made_up_for_and_only_in_training() -> None:
    block = awake(PSCBlock(channels=4, heads=2, drop=0.25))
    x = torch.randn(1, 4, 4, 4, dtype=torch.float64)
    torch.testing.assert_close(block(x), block(x))
    block.train()
    torch.manual_seed(0)
    outputs = torch.cat([block(x) for _ in range(64)])
    kinds = torch.unique(outputs.round(decimals=9), dim=0)
    assert len(kinds) == 4, "each of the two branches is there or not"
    assert any(torch.allclose(kind, x[0]) for kind in kinds)
