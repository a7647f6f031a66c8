"""SLCFormer's parts against NumPy and SciPy: the spectrum, both halves, the gate."""

import numpy as np
import pytest
import torch
from scipy import ndimage, special
from torch import nn

from semilar.net.slcformer import FourierMix, GatedLines, GlobalLocalMix, LocalMix

Array = np.ndarray


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def gelu(x: Array) -> Array:
    return x * (1 + special.erf(x / np.sqrt(2))) / 2


def weights(layer: nn.Module | torch.Tensor) -> tuple[Array, Array]:
    """The weight and the bias of a layer."""
    weight, bias = (getattr(layer, part).detach().numpy() for part in ("weight", "bias"))
    return weight, bias


def pixelwise(conv: nn.Module | torch.Tensor, x: Array) -> Array:
    """A 1 x 1 convolution of (C, H, W)."""
    weight, bias = weights(conv)
    return np.einsum("oi,ihw->ohw", weight[:, :, 0, 0], x) + bias[:, None, None]


def surroundings(conv: nn.Module | torch.Tensor, x: Array, step: int) -> Array:
    """A 3 x 3 convolution of (C, H, W) whose taps are `step` apart; zero beyond the border."""
    weight, bias = weights(conv)
    spread = np.zeros((*weight.shape[:2], 2 * step + 1, 2 * step + 1))
    spread[:, :, ::step, ::step] = weight
    depthwise = weight.shape[1] == 1
    rows = []
    for channel, kernels in enumerate(spread):
        seen = x[channel : channel + 1] if depthwise else x
        parts = [
            ndimage.correlate(one, kernel, mode="constant")
            for one, kernel in zip(seen, kernels, strict=True)
        ]
        rows.append(np.sum(parts, axis=0) + bias[channel])
    return np.stack(rows)


def run(module: nn.Module, x: Array) -> Array:
    with torch.no_grad():
        return module(torch.from_numpy(x)[None].float())[0].numpy()


def test_the_spectrum_is_mixed_as_numpy_does_it() -> None:
    mix = FourierMix(channels=3)
    norm = mix.layers[1]
    nn.init.normal_(norm.weight)  # type: ignore[arg-type]
    nn.init.normal_(norm.bias)  # type: ignore[arg-type]
    x = np.random.default_rng(0).normal(size=(3, 8, 12))
    found = np.fft.rfft2(x) / np.sqrt(8 * 12)
    parts = np.concatenate([found.real, found.imag])
    hidden = pixelwise(mix.layers[0], parts)
    mean, deviation = (way(hidden, axis=(1, 2), keepdims=True) for way in (np.mean, np.std))
    hidden = (hidden - mean) / np.sqrt(deviation**2 + 1e-5)
    gain, move = (part[:, None, None] for part in weights(norm))
    mixed = parts + pixelwise(mix.layers[3], gelu(hidden * gain + move))
    expected = np.fft.irfft2(mixed[:3] + 1j * mixed[3:]) * np.sqrt(8 * 12)
    np.testing.assert_allclose(run(mix, x), expected, atol=1e-5)


def test_a_spectrum_does_not_depend_on_its_batch_while_learning() -> None:
    mix = FourierMix(channels=2).train()
    maps = torch.randn(2, 2, 8, 8) * torch.tensor([1.0, 9.0])[:, None, None, None]
    alone = torch.cat([mix(one[None]) for one in maps])
    torch.testing.assert_close(mix(maps), alone)


def test_one_half_stays_in_its_pixel_and_one_looks_around() -> None:
    mix = LocalMix(channels=6)
    x = np.random.default_rng(0).normal(size=(6, 9, 7))
    pixel = pixelwise(mix.pixel[2], gelu(pixelwise(mix.pixel[0], x[:3])))
    expected = np.concatenate([pixel, surroundings(mix.around, x[3:], 2)])
    np.testing.assert_allclose(run(mix, x), expected, atol=1e-5)


def test_the_first_half_sees_its_surroundings_the_second_the_whole_picture() -> None:
    mix = GlobalLocalMix(channels=8)
    mix.enter = mix.fuse = mix.weigh = nn.Identity()  # type: ignore[assignment]
    x = np.random.default_rng(0).normal(size=(8, 24, 24))
    before = run(mix, x)

    def reach(channels: slice) -> tuple[Array, Array]:
        """By how much each half answers at every pixel when these channels change at (4, 4)."""
        other = x.copy()
        other[channels, 4, 4] += 3
        change = np.abs(run(mix, other) - before)
        return change[:4].max(axis=0), change[4:].max(axis=0)

    near, far = reach(slice(0, 4))
    assert near[4, 4] > 0.01
    assert near[:7, :7].max() == near.max() > 0
    assert not near[7:].any()
    assert not near[:, 7:].any()
    assert not far.any()
    near, far = reach(slice(4, 8))
    assert not near.any()
    assert (far > 0).mean() > 0.95


def test_both_halves_are_fused_then_weighed() -> None:
    mix = GlobalLocalMix(channels=8)
    x = np.random.default_rng(0).normal(size=(8, 8, 8))
    entered = pixelwise(mix.enter, x)
    both = np.concatenate([run(mix.near, entered[:4]), run(mix.far, entered[4:])])
    fused = pixelwise(mix.fuse, both)
    means = fused.mean(axis=(1, 2), keepdims=True)
    squeezed = np.maximum(pixelwise(mix.weigh.squeeze, means), 0)
    expected = fused * special.expit(pixelwise(mix.weigh.excite, squeezed))
    np.testing.assert_allclose(run(mix, x), expected, atol=1e-5)


def test_structures_and_the_gate_are_projected_together() -> None:
    feed = GatedLines(channels=2)
    x = np.random.default_rng(0).normal(size=(2, 9, 11))
    wide = pixelwise(feed.expand, x)
    lines = surroundings(feed.lines[2], gelu(surroundings(feed.lines[0], wide, 1)), 2)
    gated = wide[:4] * wide[4:]
    gated = gated * pixelwise(feed.gate[1].weigh, gated.mean(axis=(1, 2), keepdims=True))
    expected = pixelwise(feed.project, np.concatenate([lines, gated]))
    np.testing.assert_allclose(run(feed, x), expected, atol=1e-5)
