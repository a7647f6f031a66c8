"""A program whose data worker signals the whole group while it starts; run by test_feed.py.

Its workers come from a fork server, as they do by default from Python 3.14 on.
"""

import multiprocessing
import os
import signal
from typing import Any, cast

from semilar.train.feed import Batches, feed

NUMBERS = (signal.SIGINT, signal.SIGTERM)


class Signalling:
    """Batches that signal when a worker unpacks them, before it can say anything about signals."""

    def __getitem__(self, number: int) -> int:
        return number

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        for number in NUMBERS:
            os.killpg(0, number)

    def __getstate__(self) -> dict[str, Any]:
        return {"some": "state"}


def main() -> None:
    """Print the batches that came and the signals that this process got."""
    got: set[int] = set()
    for number in NUMBERS:
        signal.signal(number, lambda given, _: got.add(given))
    multiprocessing.set_start_method("forkserver")
    batches = list(feed(cast(Batches, Signalling()), range(3), workers=1, prefetch=1))
    print(batches, sorted(got))


if __name__ == "__main__":
    main()
