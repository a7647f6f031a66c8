"""Values that take time to make, kept in memory as long as they fit."""

from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class ByteCache(Generic[Key, Value]):
    """`cache(key)` is `make(key)`, made once for as many keys as `budget` bytes hold.

    What came first stays. A training goes through its pictures in a new order each time: of a
    folder twice as large as the budget half is found again, and less than that where the ones used
    last would stay.

    >>> zeros = ByteCache(lambda number: bytes(number), size=len, budget=100)
    >>> zeros(60) is zeros(60), zeros(50) is zeros(50), zeros.used
    (True, False, 60)
    """

    def __init__(
        self, make: Callable[[Key], Value], *, size: Callable[[Value], int], budget: int
    ) -> None:
        self._make, self._size, self._budget = make, size, budget
        self._kept: dict[Key, Value] = {}
        self.used = 0

    def __call__(self, key: Key) -> Value:
        if key in self._kept:
            return self._kept[key]
        value = self._make(key)
        size = self._size(value)
        if self.used + size <= self._budget:
            self._kept[key] = value
            self.used += size
        return value
