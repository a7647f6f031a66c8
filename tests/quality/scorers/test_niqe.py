"""NIQE: its parts against SciPy, its verdict on noise and blur."""

import numpy as np
import pytest
import torch
from scipy import ndimage, stats
from scipy.spatial.distance import mahalanobis

from semilar.errors import SemilarError
from semilar.flare.backgrounds import SCENES, builtin_backgrounds
from semilar.quality.scorers import Scorer, scorer
from semilar.quality.scorers.natural import (
    asymmetric_law,
    bundle,
    distance,
    normalized,
    patch_features,
)


@pytest.mark.parametrize("shape", [0.5, 1.0, 2.0, 4.0])
def test_the_law_of_drawn_samples_is_found_again(shape: float):
    drawn = stats.gennorm.rvs(shape, scale=3.0, size=200_000, random_state=5)
    found, left, right = asymmetric_law(torch.from_numpy(drawn))
    assert float(found) == pytest.approx(shape, rel=0.05)
    assert float(left) == pytest.approx(3.0, rel=0.05)
    assert float(right) == pytest.approx(3.0, rel=0.05)


def test_the_two_sides_of_a_law_are_told_apart():
    drawn = np.abs(stats.gennorm.rvs(1.5, size=400_000, random_state=6))
    # A share of left : right as the scales, so that the density is continuous at zero.
    sides = np.where(np.random.default_rng(0).random(400_000) < 0.25, -1.0, 3.0)
    found, left, right = asymmetric_law(torch.from_numpy(drawn * sides))
    assert float(found) == pytest.approx(1.5, rel=0.05)
    assert float(left) == pytest.approx(1.0, rel=0.05)
    assert float(right) == pytest.approx(3.0, rel=0.05)


def test_local_mean_and_contrast_are_scipys():
    grey = np.random.default_rng(1).uniform(0, 255, (40, 53))

    def mean(x: np.ndarray) -> np.ndarray:
        return ndimage.gaussian_filter(x, 7 / 6, mode="nearest", radius=3)

    contrast = np.sqrt(np.abs(mean(grey**2) - mean(grey) ** 2))
    ours, our_contrast = normalized(torch.from_numpy(grey)[None, None])
    np.testing.assert_allclose(our_contrast[0, 0], contrast, rtol=1e-5)
    np.testing.assert_allclose(ours[0, 0], (grey - mean(grey)) / (contrast + 1), atol=1e-6)


def test_the_distance_is_mahalanobis_between_means():
    random = np.random.default_rng(2)
    a, b = random.normal(size=(60, 7)), random.normal(size=(50, 7)) + 0.5
    ours = distance(*bundle(torch.from_numpy(a)), *bundle(torch.from_numpy(b)))
    pooled = (np.cov(a, rowvar=False) + np.cov(b, rowvar=False)) / 2
    expected = mahalanobis(a.mean(0), b.mean(0), np.linalg.inv(pooled))
    assert float(ours) == pytest.approx(expected, rel=1e-9)


def test_features_are_counted_per_patch():
    features, sharpness = patch_features(torch.rand(2, 3, 200, 300))
    assert features.shape == (2, 2 * 3, 36)
    assert sharpness.shape == (2, 6)
    assert torch.isfinite(features).all()


def test_noise_and_blur_look_unnatural():
    niqe = scorer("niqe")
    assert isinstance(niqe, Scorer)
    photos = _photos()
    noisy = (photos + 0.1 * torch.randn(photos.shape, generator=_seed())).clamp(0, 1)
    blurred = torch.nn.functional.avg_pool2d(photos, 7, 1, 3)
    assert (niqe(photos) > niqe(noisy)).all()
    assert (niqe(photos) > niqe(blurred)).all()


def test_a_flat_picture_has_a_finite_score():
    assert torch.isfinite(scorer("niqe")(torch.zeros(1, 3, 100, 100))).all()


def test_a_tiny_picture_is_refused_with_an_error():
    with pytest.raises(SemilarError, match="96 x 96"):
        scorer("niqe")(torch.rand(1, 3, 95, 200))


def _photos() -> torch.Tensor:
    crops = [photo[:288, :288] for photo in builtin_backgrounds()[SCENES:]]
    assert crops
    return torch.from_numpy(np.stack(crops).transpose(0, 3, 1, 2).astype(np.float32) / 255)


def _seed() -> torch.Generator:
    return torch.Generator().manual_seed(3)
