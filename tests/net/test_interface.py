"""Any size, exact identity, and errors for what is no picture."""

import numpy as np
import pytest
import torch

from semilar.net import REGISTRY, build
from semilar.net.interface import pad_to_multiple
from tests.net.conftest import SHALLOW

SMALL = [name for name in REGISTRY if name.endswith(("-t", "-desk"))]


@pytest.mark.parametrize("name", SMALL)
def test_untrained_network_is_the_exact_identity_at_any_size(name: str) -> None:
    net = build(name).eval()
    for height, width in ((16, 16), (17, 45), (64, 33)):
        picture = torch.rand(1, 3, height, width)
        with torch.no_grad():
            scene, flare = net(picture)
        assert torch.equal(scene, picture)
        assert flare.shape == picture.shape
        assert not flare.any()


@pytest.mark.parametrize("name", SHALLOW)
def test_awake_network_changes_the_picture_and_keeps_its_size(name, shallow) -> None:
    picture = torch.rand(2, 3, 21, 34)
    with torch.no_grad():
        scene, flare = shallow(name)(picture)
    assert scene.shape == flare.shape == picture.shape
    assert (scene - picture).abs().max() > 1e-4
    assert flare.abs().max() > 1e-4


@pytest.mark.parametrize("name", SHALLOW)
def test_pictures_of_a_batch_do_not_see_each_other(name, shallow) -> None:
    pictures = torch.rand(2, 3, 24, 40)
    net = shallow(name)
    with torch.no_grad():
        together = net(pictures)[0]
        alone = torch.cat([net(picture[None])[0] for picture in pictures])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", REGISTRY)
def test_what_the_registry_declares_is_what_the_network_does(name: str) -> None:
    with torch.device("meta"):
        net = build(name)
    assert net.multiple == REGISTRY[name].multiple


@pytest.mark.parametrize(
    ("height", "width", "multiple"), [(30, 17, 16), (16, 16, 128), (65, 20, 8)]
)
def test_padding_mirrors_as_numpy_does(height: int, width: int, multiple: int) -> None:
    picture = torch.rand(1, 3, height, width)
    padded, (top, left) = pad_to_multiple(picture, multiple)
    below, right = padded.shape[2] - top - height, padded.shape[3] - left - width
    expected = np.pad(
        picture.numpy(), ((0, 0), (0, 0), (top, below), (left, right)), mode="reflect"
    )
    assert padded.shape[2] % multiple == padded.shape[3] % multiple == 0
    np.testing.assert_array_equal(padded.numpy(), expected)


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        (torch.rand(1, 1, 32, 32), r"\(B, 3, H, W\).*\(1, 1, 32, 32\)"),
        (torch.rand(3, 32, 32), r"\(B, 3, H, W\).*\(3, 32, 32\)"),
        (torch.rand(1, 3, 8, 8), r"at least 16.*\(1, 3, 8, 8\)"),
        (torch.zeros(1, 3, 32, 32, dtype=torch.uint8), r"\[0, 1\].*uint8"),
        (torch.full((1, 3, 32, 32), float("nan")), "finite"),
        (torch.full((1, 3, 32, 32), float("-inf")), "finite"),
    ],
)
def test_bad_input_is_told_what_was_expected(picture: torch.Tensor, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        build("unet-desk")(picture)


def test_the_whole_network_is_finite_in_half_precision(shallow) -> None:
    net = shallow("raliformer").half()
    with torch.no_grad():
        scene, flare = net(torch.rand(1, 3, 96, 64).half())
    assert torch.isfinite(scene).all()
    assert torch.isfinite(flare).all()
