"""Orientations: each comes back as it went, and the mean is a mean."""

import numpy as np
import pytest

from semilar.errors import SemilarError
from semilar.restore import Remover
from semilar.restore.views import ORIENTATIONS, agreed, mean_of_views, turned, turned_back

IMAGE = np.random.default_rng(5).random((1, 3, 17, 24), dtype=np.float32)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_every_orientation_comes_back(orientation: int) -> None:
    there = turned(IMAGE, orientation)
    assert there.flags.c_contiguous
    assert there.shape[-2:] == ((24, 17) if orientation & 4 else (17, 24))
    np.testing.assert_array_equal(turned_back(there, orientation), IMAGE)


def test_the_orientations_are_the_eight_of_a_square() -> None:
    square = IMAGE[..., :17]
    seen = {turned(square, orientation).tobytes() for orientation in ORIENTATIONS}
    turns = [
        np.rot90(mirror, k, axes=(-2, -1))
        for mirror in (square, square[..., ::-1])
        for k in range(4)
    ]
    assert seen == {np.ascontiguousarray(turn).tobytes() for turn in turns}


@pytest.mark.parametrize("views", [1, 2, 8])
def test_a_network_without_habits_gives_the_same_with_any_number_of_views(views: int) -> None:
    found = mean_of_views(lambda x: x**2, IMAGE, views)
    np.testing.assert_allclose(found, IMAGE**2, atol=1e-6)


def test_the_mean_is_taken_over_all_views() -> None:
    """A network that darkens the left half does so everywhere, by half."""

    def left_half(x: np.ndarray) -> np.ndarray:
        out = x.copy()
        out[..., : x.shape[-1] // 2] = 0
        return out

    found = mean_of_views(left_half, np.ones((1, 3, 16, 16), np.float32), 8)
    np.testing.assert_allclose(found, 0.5)


@pytest.mark.parametrize("views", [1, 3, 8])
@pytest.mark.parametrize("at_once", [1, 2, 8])
def test_views_go_through_together(views: int, at_once: int) -> None:
    """A network that is not alike in all directions gives the same in batches of any size."""
    shapes = []

    def slope(x: np.ndarray) -> np.ndarray:
        shapes.append(x.shape)
        return x * np.linspace(0, 1, x.shape[-1], dtype=np.float32)

    expected = np.mean(
        [turned_back(slope(turned(IMAGE, one)), one) for one in ORIENTATIONS[:views]], axis=0
    )
    shapes.clear()
    found = mean_of_views(slope, IMAGE, views, at_once=at_once)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert sum(shape[0] for shape in shapes) == views
    upright = sum(one & 4 == 0 for one in ORIENTATIONS[:views])
    assert max(shape[0] for shape in shapes) == min(at_once, max(upright, views - upright))


def test_three_quarters_of_a_deviation_between_views_stay() -> None:
    scenes = np.array([[0.4, 0.9, 0.6, 1.2], [0.8, 1.1, 0.6, 1.6]], np.float32)
    found = agreed(np.ones((1, 1, 1, 4), np.float32), scenes.reshape(2, 1, 1, 1, 4))
    # Means 0.6, 1, 0.6, 1.4; deviations 0.2, 0.1, 0, 0.2.
    np.testing.assert_allclose(found.ravel(), [0.75, 1, 0.6, 1.25], atol=1e-6)


class LeftHalf:
    """An engine with a habit: it halves what it sees on its left."""

    def run(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scene = image.copy()
        scene[..., : image.shape[-1] // 2] *= np.float32(0.5)
        return scene, image - scene


def test_a_remover_takes_what_views_agree_on() -> None:
    picture = np.full((64, 96, 3), 200, np.uint8)
    one, two = (Remover(engine=LeftHalf(), views=views).remove(picture).image for views in (1, 2))
    assert np.abs(one[8:-8, 8:32].astype(int) - 100).max() <= 1
    assert (one[8:-8, 64:-8] == 200).all()
    assert np.abs(two[8:-8, 8:32].astype(int) - 187.5).max() <= 1, "the mean alone would be 150"
    assert np.abs(two[8:-8, 64:-8].astype(int) - 187.5).max() <= 1


class Restless:
    """An engine that is never sure: one view gets brighter, the other far darker."""

    def run(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        factors = np.resize(np.array([1.1, 0.86], np.float32), len(image))[:, None, None, None]
        return image * factors, image * 0


def test_flare_is_found_by_the_mean_of_the_views() -> None:
    """Views that hardly agree leave nothing to take, but something was seen."""
    picture = np.full((64, 96, 3), 200, np.uint8)
    result = Remover(engine=Restless(), views=2).remove(picture)
    assert result.found
    np.testing.assert_array_equal(result.image, picture)


class Counting:
    """An engine that counts the pictures it sees, and how many at most at once."""

    pictures = most = 0

    def run(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.pictures += len(image)
        self.most = max(self.most, len(image))
        return image * np.float32(0.8), image * 0


@pytest.mark.parametrize(
    ("device", "size", "most"), [("cpu", 64, 4), ("cpu", 512, 2), ("cuda", 512, 4)]
)
def test_a_remover_sees_as_many_views_as_it_is_told(device: str, size: int, most: int) -> None:
    engine = Counting()
    remover = Remover(engine=engine, views=8, device=device)
    remover.remove(np.full((size, size, 3), 200, np.uint8))
    assert (engine.pictures, engine.most) == (8, most)
    with pytest.raises(SemilarError, match="9 views are not between 1 and 8"):
        Remover(engine=engine, views=9)
