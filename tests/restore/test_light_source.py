"""Lamps put back by the benchmark's rule, beside the libraries that the benchmark itself uses."""

import numpy as np
import pytest
from scipy import ndimage
from skimage import measure, morphology

from semilar.errors import ModelError
from semilar.restore.light_source import (
    disk_blur,
    keep_light_source,
    largest_area,
    light_mask,
    opened,
    soft_mask,
)


def blobs(seed: int, shape: tuple[int, int] = (70, 91)) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=shape)
    return ndimage.gaussian_filter(noise, 2.5) > 0.12


@pytest.mark.parametrize("radius", [1, 3, 4])
def test_opening_is_scikit_images(radius: int) -> None:
    for seed in range(4):
        mask = blobs(seed)
        expected = morphology.opening(mask, morphology.disk(radius), mode="ignore")
        np.testing.assert_array_equal(opened(mask, radius), expected)


def test_the_largest_area_is_scikit_images() -> None:
    for seed in range(6):
        mask = blobs(seed)
        areas = [region.area for region in measure.regionprops(measure.label(mask))]
        assert largest_area(mask) == max(areas)
    assert largest_area(np.zeros((5, 6), bool)) == 0
    corners = np.eye(7, dtype=bool)
    assert largest_area(corners) == 7


@pytest.mark.parametrize("width", [1, 2, 5, 12, 31])
def test_the_disk_is_scipys_with_mirrored_borders(width: int) -> None:
    mask = blobs(0).astype(np.float32)
    offset = np.arange(width) - (width - 1) / 2
    disk = (np.hypot(offset[:, None], offset) <= offset.max()) + 1e-7
    expected = ndimage.correlate(mask.astype(np.float64), disk / disk.sum(), mode="mirror")
    np.testing.assert_allclose(disk_blur(mask, width), expected, atol=1e-6)


def test_a_lamp_comes_back_and_the_rest_stays() -> None:
    picture = np.full((128, 160, 3), 0.2, np.float32)
    down, across = np.mgrid[:128, :160]
    lamp = np.hypot(down - 60, across - 50) <= 15
    picture[lamp] = 1.0
    picture[10, 10] = 1.0  # a speck is no lamp
    scene = np.full_like(picture, 0.1)
    kept = keep_light_source(picture, scene)
    assert (kept[60, 50] == 1).all()
    assert (kept[10, 10] == scene[10, 10]).all()
    np.testing.assert_array_equal(kept[90:], scene[90:])
    mask = light_mask(picture)
    assert mask[lamp].min() == 1
    assert 0 < mask[60, 50 + 20] < 1, "a soft rim"


def test_without_lamps_nothing_changes() -> None:
    scene = np.random.default_rng(0).random((40, 50, 3), np.float32)
    assert keep_light_source(np.full_like(scene, 0.9), scene) is scene


def test_wus_mask_is_wider_and_wants_more_light() -> None:
    picture = np.full((96, 96, 3), 0.2, np.float32)
    picture[30:50, 30:50] = 1.0
    scene = np.zeros_like(picture)
    flare7k, wu = (keep_light_source(picture, scene, rule) for rule in ("flare7k", "wu"))
    assert (wu > 0).sum() > (flare7k > 0).sum()
    dim = np.where(picture == 1, np.float32(0.97), picture)
    assert keep_light_source(dim, scene, "flare7k").any()
    assert not keep_light_source(dim, scene, "wu").any()


def test_zhous_mask_follows_the_brightness() -> None:
    picture = np.linspace(0.2, 0.9, 8, dtype=np.float32)[None, :, None].repeat(3, axis=2)
    expected = np.linspace(0, 1, 8) ** 15
    np.testing.assert_allclose(soft_mask(picture)[0], expected, atol=1e-5)
    assert not soft_mask(np.full((4, 4, 3), 0.5, np.float32)).any()


def test_an_unknown_rule_is_named() -> None:
    scene = np.zeros((16, 16, 3), np.float32)
    with pytest.raises(ModelError, match=r"dream: no such rule.*flare7k, wu, zhou"):
        keep_light_source(scene, scene, "dream")
