"""PSNR and SSIM against scikit-image and torchmetrics, and what must hold for any picture."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from skimage import data
from skimage.metrics import peak_signal_noise_ratio, structural_similarity
from torchmetrics.functional.image import (
    peak_signal_noise_ratio as torch_psnr,
)
from torchmetrics.functional.image import (
    structural_similarity_index_measure as torch_ssim,
)

from semilar.errors import SemilarError
from semilar.quality import psnr, ssim
from tests.support.pictures import noise16, smooth_picture

pictures = hnp.arrays(np.uint8, st.tuples(st.integers(7, 24), st.integers(7, 24), st.just(3)))


def _spoiled(picture: np.ndarray, seed: int) -> np.ndarray:
    """The picture with noise and a bright glow, as encoded uint8."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: picture.shape[0], : picture.shape[1]]
    glow = 90 * np.exp(-((y - 20) ** 2 + (x - 30) ** 2) / 800)
    noisy = picture + glow[..., None] + rng.normal(0, 4, picture.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8)


def _pairs() -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(5)
    noise = rng.integers(0, 256, (2, 61, 83, 3), dtype=np.uint8)
    photos = [data.astronaut(), data.coffee(), smooth_picture(97, 131)]
    return [(noise[0], noise[1]), *((_spoiled(photo, i), photo) for i, photo in enumerate(photos))]


@pytest.fixture
def double_precision() -> Iterator[None]:
    """torchmetrics turns its constants into torch's default type."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("pair", _pairs(), ids=["noise", "astronaut", "coffee", "ramp"])
def test_equal_to_scikit_image(pair: tuple[np.ndarray, np.ndarray]) -> None:
    picture, truth = pair
    assert psnr(picture, truth) == pytest.approx(
        peak_signal_noise_ratio(truth, picture, data_range=255), abs=1e-9
    )
    assert ssim(picture, truth) == pytest.approx(
        structural_similarity(truth, picture, channel_axis=-1, data_range=255), abs=1e-9
    )


@pytest.mark.parametrize("pair", _pairs(), ids=["noise", "astronaut", "coffee", "ramp"])
def test_equal_to_torchmetrics(pair: tuple[np.ndarray, np.ndarray], double_precision: None) -> None:
    picture, truth = (
        torch.from_numpy(each.transpose(2, 0, 1)[None].astype(np.float64)) for each in pair
    )
    assert psnr(*pair) == pytest.approx(
        float(torch_psnr(picture, truth, data_range=255.0)), abs=1e-6
    )
    # torchmetrics divides by the number of pixels, scikit-image and the tables by one less, and
    # it pads; on the picture whose window sums are computed inside only, with the same constants
    # rescaled, both must agree.
    scale = math.sqrt(48 / 49)
    reference = torch_ssim(
        picture,
        truth,
        gaussian_kernel=False,
        kernel_size=7,
        data_range=255.0,
        k2=0.03 * scale,
        return_full_image=True,
    )
    assert isinstance(reference, tuple)
    inside = reference[1][..., 3:-3, 3:-3]
    assert ssim(*pair) == pytest.approx(float(inside.mean()), abs=1e-6)


def test_16_bit_and_float_pictures() -> None:
    a, b = noise16(seed=1), noise16(seed=2)
    assert psnr(a, b) == pytest.approx(
        peak_signal_noise_ratio(b.astype(np.float64), a.astype(np.float64), data_range=65535),
        abs=1e-9,
    )
    x, y = a / 65535, b / 65535
    assert psnr(x, y) == pytest.approx(psnr(a, b), abs=1e-9)
    expected = structural_similarity(y, x, channel_axis=-1, data_range=1.0)
    assert ssim(x, y) == pytest.approx(expected, abs=1e-9)
    assert ssim(a, b) == pytest.approx(expected, abs=1e-9)


def test_grey_pictures() -> None:
    a, b = noise16(40, 50, 1)[..., 0], noise16(40, 50, 1, seed=9)[..., 0]
    expected = structural_similarity(b / 65535, a / 65535, data_range=1.0)
    assert ssim(a, b) == pytest.approx(expected, abs=1e-9)


@given(pictures)
@settings(deadline=None, max_examples=40)
def test_a_picture_equals_itself(picture: np.ndarray) -> None:
    assert psnr(picture, picture) == math.inf
    assert ssim(picture, picture) == pytest.approx(1, abs=1e-12)


@given(st.data())
@settings(deadline=None, max_examples=40)
def test_the_order_does_not_matter(data: st.DataObject) -> None:
    a = data.draw(pictures)
    b = data.draw(hnp.arrays(np.uint8, a.shape))
    assert psnr(a, b) == psnr(b, a)
    assert ssim(a, b) == pytest.approx(ssim(b, a), abs=1e-12)
    assert -1 <= ssim(a, b) <= 1 + 1e-12


@given(pictures, st.integers(0, 2**32 - 1), st.floats(0.05, 0.95))
@settings(deadline=None, max_examples=40)
def test_half_the_error_is_better(picture: np.ndarray, seed: int, share: float) -> None:
    truth = picture / 255
    error = np.random.default_rng(seed).normal(0, 0.1, truth.shape)
    gain = psnr(truth + share * error, truth) - psnr(truth + error, truth)
    assert gain == pytest.approx(-20 * math.log10(share), abs=1e-6)


def test_different_sizes_and_kinds_are_errors() -> None:
    a = smooth_picture(20, 30)
    with pytest.raises(SemilarError, match="30 x 20 and 20 x 30 pixels"):
        psnr(a, smooth_picture(30, 20))
    with pytest.raises(SemilarError, match="not int32"):
        psnr(a.astype(np.int32), a.astype(np.int32))
    with pytest.raises(SemilarError, match="at least 7 x 7"):
        ssim(a[:6], a[:6])
