"""Order and seeds: every item once a pass, photos with one owner, nothing kept between calls."""

import numpy as np
import pytest

from semilar.data.order import derived_seed, lane, place, shuffled


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_every_pass_holds_every_item_once(count: int) -> None:
    for turn in range(4):
        places = [place(turn * count + k, count, 5) for k in range(count)]
        assert {t for t, _ in places} == {turn}
        assert sorted(index for _, index in places) == list(range(count))


def test_passes_are_shuffled_differently_and_repeatably() -> None:
    orders = [tuple(shuffled(50, 1, turn)) for turn in range(20)]
    assert len(set(orders)) == 20
    shuffled.cache_clear()
    assert [tuple(shuffled(50, 1, turn)) for turn in range(20)] == orders


def test_seeds_differ_with_every_part_of_the_key() -> None:
    seeds = {derived_seed(a, b, c) for a in range(10) for b in range(10) for c in range(10)}
    assert len(seeds) == 1000
    assert derived_seed(1, 2) == derived_seed(1, 2)
    assert min(seeds) >= 0
    assert max(seeds) < 2**63


def test_lanes_part_the_photos() -> None:
    lanes = [lane(11, 4, slot) for slot in range(4)]
    assert sorted(np.concatenate(lanes).tolist()) == list(range(11))
    assert max(map(len, lanes)) - min(map(len, lanes)) <= 1
