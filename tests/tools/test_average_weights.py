"""Averages of weights, and the factor on what a network changes."""

import pytest
import torch
from tools.average_weights import average, enlarge_change

from semilar.net.raliformer import RaLiFormer


@pytest.fixture
def networks() -> list[RaLiFormer]:
    """Three tiny networks whose last layers are not zero."""
    torch.manual_seed(7)
    made = [
        RaLiFormer(widths=(8, 16), depths=(1, 1, 1), head_width=8, blocks=("conv", "psc"))
        for _ in range(3)
    ]
    for network in made:
        for values in network.project_out[0].parameters():
            torch.nn.init.normal_(values, std=0.1)
    return [network.eval() for network in made]


def test_every_weight_is_the_mean_by_share(networks: list[RaLiFormer]) -> None:
    before = [{k: v.clone() for k, v in one.state_dict().items()} for one in networks]
    shares = [0.5, 0.2, 0.3]
    mean = average(networks, shares).state_dict()
    for name, value in mean.items():
        torch.testing.assert_close(
            value, 0.5 * before[0][name] + 0.2 * before[1][name] + 0.3 * before[2][name]
        )


def test_the_change_of_the_scene_grows_and_the_flare_does_not(networks: list[RaLiFormer]) -> None:
    network, picture = networks[0], torch.rand(1, 3, 32, 48)
    with torch.no_grad():
        scene, flare = network(picture)
        enlarge_change(network, 1.25)
        larger, same = network(picture)
    assert (scene - picture).abs().max() > 0.01
    torch.testing.assert_close(larger - picture, 1.25 * (scene - picture))
    torch.testing.assert_close(same, flare)
