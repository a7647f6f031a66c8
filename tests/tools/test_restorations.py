"""Simulated restorations: their ends, their order, their parts against SciPy and scikit-image."""

import numpy as np
import pytest
import torch
from scipy import ndimage
from skimage.metrics import peak_signal_noise_ratio
from tools.restorations import (
    KINDS,
    draw_restorations,
    gaussian,
    restore,
    true_psnr,
)
from torch import Tensor


def scene() -> tuple[Tensor, Tensor]:
    """A flared and a clean picture (1, 3, 64, 64), encoded, with a lamp in it."""
    generator = torch.Generator().manual_seed(1)
    clean = 0.1 + 0.3 * torch.rand(1, 3, 64, 64, generator=generator)
    clean[..., 20:26, 30:36] = 1.0
    rows, columns = torch.meshgrid(torch.arange(64.0), torch.arange(64.0), indexing="ij")
    glow = 0.5 * torch.exp(-((rows - 23) ** 2 + (columns - 33) ** 2) / 300)
    return (clean.square() + glow).clamp(0, 1).sqrt(), clean


def seed() -> torch.Generator:
    return torch.Generator().manual_seed(2)


@pytest.mark.parametrize("kind", list(KINDS))
def test_nothing_done_is_the_clean_scene(kind: str):
    flared, clean = scene()
    torch.testing.assert_close(restore(flared, clean, kind, torch.zeros(1), seed()), clean)


@pytest.mark.parametrize("kind", list(KINDS))
def test_more_damage_is_a_lower_psnr(kind: str):
    flared, clean = scene()
    amounts = [torch.tensor([k]) for k in (0.2, 0.45, 0.7, 0.95)]
    made = [true_psnr(restore(flared, clean, kind, k, seed()), clean).item() for k in amounts]
    assert made == sorted(made, reverse=True)
    assert made[0] > made[-1] + 1


def test_all_flare_left_is_the_input():
    flared, clean = scene()
    made = restore(flared, clean, "residual", torch.ones(1), seed())
    torch.testing.assert_close(made, flared)


def test_residual_flare_adds_in_linear_light():
    flared, clean = scene()
    half = restore(flared, clean, "residual", torch.tensor([0.5]), seed())
    torch.testing.assert_close(half.square(), (flared.square() + clean.square()) / 2)


def test_over_removal_is_darker_than_the_scene():
    flared, clean = scene()
    made = restore(flared, clean, "over-removal", torch.tensor([0.8]), seed())
    assert (made <= clean + 1e-6).all()
    assert (made < clean - 0.05).any()


def test_psnr_is_scikit_images():
    flared, clean = scene()
    expected = peak_signal_noise_ratio(clean.numpy(), flared.numpy(), data_range=1)
    assert true_psnr(flared, clean).item() == pytest.approx(expected, abs=0.05)


def test_drawn_restorations_start_with_the_clean_and_the_flared_picture():
    flared, clean = scene()
    drawn = draw_restorations(flared, clean, 6, np.random.default_rng(0))
    again = draw_restorations(flared, clean, 6, np.random.default_rng(0))
    assert drawn.shape == (6, 3, 64, 64)
    torch.testing.assert_close(drawn[0], clean[0], atol=0.5 / 255, rtol=0)
    torch.testing.assert_close(drawn[1], flared[0], atol=0.5 / 255, rtol=0)
    assert torch.equal(drawn, again)


def test_blur_is_scipys_gaussian():
    _, clean = scene()
    expected = ndimage.gaussian_filter(
        clean.numpy(), (0, 0, 2, 2), mode="nearest", radius=(0, 0, 6, 6)
    )
    np.testing.assert_allclose(gaussian(clean, 2), expected, atol=1e-5)
