"""Drawn rooms: the same for the same seed, lit by their lamps, smooth walls."""

import numpy as np
from scipy.ndimage import uniform_filter
from tools.draw_rooms import Room, light_of, room

from semilar.photo import srgb_to_linear

SIZE = (96, 128)


def test_a_seed_is_a_room() -> None:
    first = room(3, *SIZE)
    assert first.shape == (*SIZE, 3)
    np.testing.assert_array_equal(first, room(3, *SIZE))
    assert np.abs(first.astype(int) - room(4, *SIZE)).mean() > 5


def test_light_falls_off_from_its_lamp() -> None:
    light = light_of(np.random.default_rng(0), [(40.0, 30.0)], *SIZE)[..., 0]
    assert np.unravel_index(light.argmax(), SIZE) == (30, 40)
    assert light[30, 40] > light[30, 70] > light[30, 120] > 0


def test_paint_reflects_no_more_than_all_and_most_of_it_is_plain() -> None:
    flat = []
    for seed in range(6):
        paint = Room(np.random.default_rng(seed), 128, 128).painted()
        assert 0 <= paint.min() < paint.max() <= 1
        spread = uniform_filter(paint.mean(2) ** 2, 5) - uniform_filter(paint.mean(2), 5) ** 2
        flat.append((spread < 1e-4).mean())
    assert np.median(flat) > 0.6


def test_rooms_are_lit() -> None:
    means = [srgb_to_linear(room(seed, *SIZE) / 255).mean() for seed in range(8)]
    assert np.median(means) > 0.1  # photographs taken at night have 0.01 to 0.05
