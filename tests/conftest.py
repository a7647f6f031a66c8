"""One thread per worker: the suite runs one pytest worker per core. Tests of other systems skip."""

import os
import sys

import pytest

from semilar.threads import nothing_is_reported, one_thread_for_algebra

one_thread_for_algebra()
nothing_is_reported()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what this system does not have."""
    if item.get_closest_marker("posix") and os.name == "nt":
        pytest.skip("needs POSIX signals or limits")
    if item.get_closest_marker("linux") and not sys.platform.startswith("linux"):
        pytest.skip("measures memory as Linux counts it")
