"""Lamps stay white where the network was too careful; clipped flare goes all the same."""

import numpy as np
import pytest
from scipy import ndimage

from semilar.photo import linear_to_srgb
from semilar.restore import Remover
from semilar.restore.filters import highest
from semilar.restore.lamps import lamps

SIDE = 128
ROWS, COLUMNS = np.mgrid[:SIDE, :SIDE]
LAMP = np.hypot(ROWS - 60, COLUMNS - 64) < 9
STREAK = np.abs(ROWS - 60) < 4


def scene(lamp: float, streak: float) -> np.ndarray:
    """*Linear* light that a network leaves of a lamp and of the clipped streak through it."""
    light = np.full((SIDE, SIDE, 3), 0.01, np.float32)
    light[STREAK], light[LAMP] = streak, lamp
    return light


def clipped() -> np.ndarray:
    return np.repeat((LAMP | STREAK)[..., None], 3, axis=2).astype(np.float32)


@pytest.mark.parametrize("radius", [1, 2, 3, 7, 20])
def test_highest_is_the_maximum_of_a_window(radius: int) -> None:
    picture = np.random.default_rng(radius).random((37, 50, 2)).astype(np.float32)
    size = (2 * radius + 1, 2 * radius + 1, 1)
    assert np.array_equal(highest(picture, radius), ndimage.maximum_filter(picture, size))


def test_a_grey_lamp_is_a_lamp_and_a_dark_streak_is_not() -> None:
    found = lamps(clipped(), scene(lamp=0.3, streak=0.02))
    middle = np.hypot(ROWS - 60, COLUMNS - 64) < 7
    assert found[middle].min() > 0.9
    far = STREAK & (np.abs(COLUMNS - 64) > 14)
    assert found[far].max() < 0.1


def test_what_is_not_clipped_is_no_lamp() -> None:
    assert not lamps(np.zeros((SIDE, SIDE, 3), np.float32), scene(0.9, 0.9)).any()


def test_there_is_no_lamp_where_the_network_leaves_nothing() -> None:
    assert lamps(clipped(), scene(lamp=0.03, streak=0.01)).max() == 0


def test_a_coloured_lamp_keeps_the_channels_that_the_network_leaves() -> None:
    red = clipped() * np.array([1, 0, 0], np.float32)
    found = lamps(red, scene(lamp=0.9, streak=0.02))
    assert found[LAMP][:, 0].min() == 1
    assert not found[..., 1:].any()


def test_a_yellow_lamp_stays_yellow_and_its_streak_goes() -> None:
    yellow = clipped() * np.array([1, 1, 0], np.float32)
    found = lamps(yellow, scene(lamp=0.3, streak=0.02))
    middle = np.hypot(ROWS - 60, COLUMNS - 64) < 7
    assert found[middle].min() > 0.9
    assert (found == found[..., :1]).all(), "all channels alike, or the colour changes"
    assert found[STREAK & (np.abs(COLUMNS - 64) > 14)].max() < 0.1


class Careful:
    """An engine that answers a grey lamp."""

    def run(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        answer = linear_to_srgb(scene(lamp=0.3, streak=0.02)).transpose(2, 0, 1)[None]
        return answer.astype(np.float32), image - answer


def test_the_photo_keeps_its_white_lamp() -> None:
    photo = np.full((SIDE, SIDE, 3), 25, np.uint8)
    photo[LAMP | STREAK] = 255
    restored = Remover(engine=Careful(), working_size=SIDE).remove(photo).image
    assert restored[np.hypot(ROWS - 60, COLUMNS - 64) < 7].min() > 250
    assert restored[STREAK & (np.abs(COLUMNS - 64) > 20)].max() < 60
