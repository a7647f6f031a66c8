"""Names, costs against published figures, and networks from outside."""

import pytest
import torch
from torch import Tensor, nn

from semilar.errors import SemilarError
from semilar.net import REGISTRY, FlareNet, build, cost, describe
from semilar.net.external import ExternalNet


class Halving(nn.Module):
    """Somebody's network with three planes: the scene is half as bright."""

    multiple = 32

    def __init__(self, *, gain: float = 0.5) -> None:
        super().__init__()
        self.gain = gain

    def forward(self, picture: Tensor) -> Tensor:
        assert picture.shape[2] % 32 == picture.shape[3] % 32 == 0
        return picture * self.gain


class Splitting(nn.Module):
    """Somebody's network with six planes."""

    def forward(self, picture: Tensor) -> Tensor:
        return torch.cat([picture * 0.75, picture * 0.25], dim=1)


class FourPlanes(nn.Module):
    def forward(self, picture: Tensor) -> Tensor:
        return picture[:, [0, 1, 2, 0]]


HERE = __name__


# Millions of parameters as the papers or the authors' code have them; the networks of the papers
# end in three planes, ours in six.
@pytest.mark.parametrize(
    ("name", "published", "tolerance"),
    [
        ("unet", 31.03, 0.01),
        ("uformer", 20.47, 0.02),
        ("hinet", 88.67, 0.01),
        ("restormer", 26.13, 0.01),
        ("nafnet", 29.16, 0.01),
    ],
)
def test_published_sizes(name: str, published: float, tolerance: float) -> None:
    with torch.device("meta"):
        net = build(name)
    count = sum(parameter.numel() for parameter in net.parameters()) / 1e6
    assert count == pytest.approx(published, rel=tolerance)


@pytest.mark.parametrize(
    ("name", "millions", "gmacs"),
    [
        ("raliformer", 28.1, 52.5),
        ("raliformer-s", 9.0, 16.0),
        ("raliformer-t", 4.0, 5.0),
        ("raliformer-td", 5.0, 6.0),
    ],
)
def test_raliformer_stays_within_its_budget(name: str, millions: float, gmacs: float) -> None:
    counted = cost(name)
    assert counted.parameters / 1e6 <= millions
    assert counted.macs / 1e9 <= gmacs


def test_cost_of_a_single_convolution_is_counted_by_hand() -> None:
    """A U-Net without steps: 3 -> w -> w by 3 x 3, then 6 by 1 x 1, on 32 x 64 pixels."""
    counted = cost("unet", size=(32, 64), widths=(5,))
    assert counted.macs == 32 * 64 * (3 * 5 * 9 + 5 * 5 * 9 + 5 * 6)
    assert counted.parameters == 3 * 5 * 9 + 5 * 5 * 9 + 4 * 5 + 5 * 6 + 6


def test_authors_heads_and_widths() -> None:
    with torch.device("meta"):
        net = build("raliformer")
    stages = [*net.encoder, net.bottleneck, *reversed(net.decoder)]  # type: ignore[misc]
    assert [len(stage) for stage in stages] == [2] * 9
    assert [stage[0].attention.heads for stage in stages] == [1, 2, 4, 8, 16, 16, 8, 4, 2]


@pytest.mark.parametrize("skip", ["add", "concat"])
@pytest.mark.parametrize("cab", ["gate", "conv"])
@pytest.mark.parametrize("rank_branch", ["inside", "after"])
def test_options_of_the_reference_table_build_and_run(skip, cab, rank_branch) -> None:
    net = build(
        "raliformer",
        widths=(8, 16),
        depths=(1, 1, 1),
        blocks=("psc", "psc"),
        head_width=8,
        skip=skip,
        cab=cab,
        rank_branch=rank_branch,
        drop_path=0.25,
    )
    scene, flare = net.train()(torch.rand(2, 3, 20, 24))
    (scene.sum() + flare.sum()).backward()
    missing = [name for name, value in net.named_parameters() if value.grad is None]
    assert missing == []


def test_wrong_plan_says_what_fits() -> None:
    with pytest.raises(ValueError, match="3 widths need 5 depths and 3 kinds"):
        build("raliformer", widths=(8, 16, 32))


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(SemilarError, match=r"raliformer-x.*raliformer-t.*package\.module:Class"):
        build("raliformer-x")


def test_external_net_of_three_planes_gets_its_flare_in_linear_light() -> None:
    net = build(f"{HERE}:Halving", gain=0.25)
    picture = torch.rand(1, 3, 40, 50) * 0.5 + 0.5
    scene, flare = net(picture)
    torch.testing.assert_close(scene, picture * 0.25)
    torch.testing.assert_close(flare**2.2 + scene**2.2, picture**2.2)
    assert describe(f"{HERE}:Halving").multiple == 32


def test_external_net_that_removes_nothing_has_no_flare() -> None:
    picture = torch.rand(1, 3, 32, 32)
    _, flare = build(f"{HERE}:Halving", gain=1.0)(picture)
    assert not flare.any()


def test_external_net_of_six_planes() -> None:
    picture = torch.rand(1, 3, 17, 19)
    scene, flare = build(f"{HERE}:Splitting")(picture)
    torch.testing.assert_close(scene, picture * 0.75)
    torch.testing.assert_close(flare, picture * 0.25)


def test_external_net_that_keeps_our_interface_is_not_wrapped() -> None:
    net = build("semilar.net.unet:UNet", widths=(4, 8))
    assert isinstance(net, FlareNet)
    assert not isinstance(net, ExternalNet)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no.such.package:Net", "cannot be imported"),
        (f"{HERE}:Missing", "has no Missing"),
        (f"{HERE}:HERE", "not a torch.nn.Module"),
    ],
)
def test_wrong_external_net_is_an_error(name: str, said: str) -> None:
    with pytest.raises(SemilarError, match=said):
        build(name)


def test_external_net_with_other_planes_is_told() -> None:
    with pytest.raises(ValueError, match="3 or 6 planes from FourPlanes"):
        build(f"{HERE}:FourPlanes")(torch.rand(1, 3, 32, 32))


def test_every_entry_says_what_it_is() -> None:
    assert all(info.summary and info.min_size == 16 for info in REGISTRY.values())
