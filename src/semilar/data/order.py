"""In which order samples come, and from which seed each is made.

Nothing here keeps state: what comes at place k of a stream follows from the recipe's seed and k
alone. A resumed run, a run with other workers or another number of processes sees the same
samples.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

LABELED, UNLABELED, VALIDATION, MIXUP, STEP = range(5)  # streams that never share a seed


@lru_cache(maxsize=64)
def shuffled(count: int, *key: int) -> NDArray[np.int64]:
    """The numbers 0 … count − 1 in the order that `key` decides."""
    order = np.random.default_rng(key).permutation(count)
    order.setflags(write=False)
    return order


def place(cursor: int, count: int, *key: int) -> tuple[int, int]:
    """Which pass over the data, and which of its `count` items, comes at `cursor`.

    Each pass holds every item once, in an order of its own.

    >>> sorted(place(k, 3, 7)[1] for k in range(3, 6))
    [0, 1, 2]
    """
    turn, position = divmod(cursor, count)
    return turn, int(shuffled(count, *key, turn)[position])


def derived_seed(*key: int) -> int:
    """A seed for one sample, from what identifies it."""
    return int(np.random.SeedSequence(key).generate_state(1, np.uint64)[0] >> np.uint64(1))


def lane(photo_count: int, lanes: int, slot: int) -> NDArray[np.int64]:
    """The photos that slot `slot` of every batch draws from.

    Each photo belongs to one slot, so to one process: its pseudo label has one writer, whatever
    the number of processes.
    """
    return np.arange(slot, photo_count, lanes)
