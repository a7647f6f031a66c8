"""Lamps stay white where the network was too careful; clipped flare goes all the same."""

import numpy as np
import pytest
from scipy import ndimage

from semilar.photo import linear_to_srgb
from semilar.restore import Remover
from semilar.restore.filters import highest
from semilar.restore.lamps import bodies, highest_joined, lamps

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
    assert lamps(clipped(), scene(lamp=0.015, streak=0.01)).max() == 0


ARM = (np.abs(ROWS - COLUMNS) < 4) & (ROWS < 110) & (ROWS > 20)
BLOB = np.hypot(ROWS - 64, COLUMNS - 64) < 24


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_an_even_grey_the_thick_part_stays_white_and_thin_arms_go(seed: int) -> None:
    coarse = np.random.default_rng(seed).uniform(0.04, 0.1, (8, 8, 1)).astype(np.float32)
    grey = np.repeat(coarse.repeat(16, axis=0).repeat(16, axis=1), 3, axis=2)
    shape = np.repeat((BLOB | ARM)[..., None], 3, axis=2).astype(np.float32)
    found = lamps(shape, grey)
    assert found[BLOB].min() > 0.95, "a lamp is not blocks of grey"
    tips = ARM & (np.hypot(ROWS - 64, COLUMNS - 64) > 34)
    assert found[tips].max() < 0.05


def test_a_lamp_that_the_network_sees_is_smaller_than_its_clipped_glow() -> None:
    glow = np.repeat(BLOB[..., None], 3, axis=2).astype(np.float32)
    light = np.full((SIDE, SIDE, 3), 0.02, np.float32)
    far = np.hypot(ROWS - 64, COLUMNS - 64)
    light[far < 9] = 0.55
    found = lamps(glow, light)
    assert found[far < 7].min() > 0.9
    assert found[(far > 14) & BLOB].max() < 0.1


def test_a_lamp_cut_by_the_border_stays_whole() -> None:
    shape = np.zeros((70, 93, 3), np.float32)  # no multiple of a block
    shape[:, 60:] = 1
    assert lamps(shape, np.full((70, 93, 3), 0.07, np.float32))[:, 60:].min() > 0.95


def test_largest_along_what_hangs_together() -> None:
    rng = np.random.default_rng(4)
    where = rng.random((40, 50, 1)) < 0.35
    value = rng.random((40, 50, 1)).astype(np.float32)
    labels = np.zeros(where.shape[:2], np.int32)
    ndimage.label(where[..., 0], np.ones((3, 3)), output=labels)
    largest = np.r_[0, ndimage.maximum(value[..., 0], labels, np.arange(1, labels.max() + 1))]
    assert np.allclose(highest_joined(value, where)[..., 0], largest[labels])


def test_bodies_hold_the_discs_and_leave_the_arms() -> None:
    body = bodies((BLOB | ARM)[..., None])[..., 0] > 0
    assert body[BLOB].all()
    assert not body[ARM & (np.hypot(ROWS - 64, COLUMNS - 64) > 30)].any()


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
