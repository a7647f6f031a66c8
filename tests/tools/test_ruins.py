"""The corpus of ruins: enough kinds, all of them to be seen, each what its name says."""

import io

import numpy as np
import pytest
import torch
from PIL import Image
from tools.restorations import true_psnr
from tools.ruins import TAUGHT, UNSEEN, ruined, ruins
from torch import Generator, Tensor

from semilar.flare.scene import night_scene

KINDS = TAUGHT | UNSEEN


@pytest.fixture(scope="module")
def photo() -> Tensor:
    """A drawn night scene (1, 3, 96, 128), encoded."""
    pixels = night_scene(3, (96, 128)).astype(np.float32) / 255
    return torch.from_numpy(pixels.transpose(2, 0, 1))[None]


def make(photo: Tensor, kind: str, strength: float = 0.5) -> np.ndarray:
    """(H, W, 3) in levels of 8 bits."""
    ruin = ruined(photo, KINDS[kind], strength, Generator().manual_seed(1))
    return (ruin[0].permute(1, 2, 0) * 255).round().numpy()


def levels(photo: Tensor) -> np.ndarray:
    return (photo[0].permute(1, 2, 0) * 255).round().numpy()


def test_there_are_many_kinds_and_some_are_never_taught():
    assert len(TAUGHT) >= 20
    assert len(UNSEEN) >= 10
    assert not TAUGHT.keys() & UNSEEN.keys()


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_strength_is_a_picture_that_differs_plainly(kind: str, photo: Tensor):
    before = photo.clone()
    for strength in (0.0, 0.5, 1.0):
        ruin = ruined(photo, KINDS[kind], strength, Generator().manual_seed(0))
        assert ruin.shape == photo.shape
        assert 0 <= ruin.min() <= ruin.max() <= 1
        assert true_psnr(ruin, photo).item() < 40
    assert torch.equal(photo, before)


def test_one_of_every_kind_and_the_same_again(photo: Tensor):
    first, again, other = (list(ruins(photo, KINDS, number)) for number in (4, 4, 5))
    assert [kind for kind, _ in first] == list(KINDS)
    assert all(torch.equal(a, b) for (_, a), (_, b) in zip(first, again, strict=True))
    assert not any(
        torch.equal(a, b) for (kind, a), (_, b) in zip(first, other, strict=True) if "noise" in kind
    )


def test_moved_pixels_are_the_same_pixels(photo: Tensor):
    clean = levels(photo)
    rows = {row.tobytes() for row in clean}
    assert {row.tobytes() for row in make(photo, "rows shuffled", 1.0)} == rows
    tiles = make(photo, "tiles shuffled", 1.0)
    assert np.array_equal(np.sort(tiles.reshape(-1, 3), 0), np.sort(clean.reshape(-1, 3), 0))
    shifted = make(photo, "rows shifted")
    assert np.array_equal(np.sort(shifted, 1), np.sort(clean, 1))


def test_channels_are_swapped_as_numpy_swaps_them(photo: Tensor):
    clean = levels(photo)
    assert np.array_equal(make(photo, "red and blue swapped"), clean[..., ::-1])
    assert np.array_equal(make(photo, "channels rotated"), clean[..., [1, 2, 0]])
    assert np.array_equal(make(photo, "negative"), 255 - clean)


def test_jpeg_is_pillows(photo: Tensor):
    file = io.BytesIO()
    Image.fromarray(levels(photo).astype(np.uint8)).save(file, "JPEG", quality=14)
    with Image.open(file) as coded:
        assert np.array_equal(make(photo, "JPEG blocks", 0.0), np.asarray(coded))


def test_noise_has_its_spread_and_posterised_its_levels():
    grey = torch.full((1, 3, 128, 128), 0.5)
    assert make(grey, "noise", 0.0).std() == pytest.approx(0.05 * 255, rel=0.03)
    slope = torch.linspace(0, 1, 256).expand(1, 3, 64, 256)
    assert len(np.unique(make(slope, "posterised", 1.0))) == 3
