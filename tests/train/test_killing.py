"""kill -9 at random moments leaves every entry of the repository whole and consistent."""

from pathlib import Path

import pytest

from tests.support.forks import in_own_process
from tests.train.killing import kill_again_and_again


@pytest.mark.posix
def test_a_few_kills(tmp_path: Path) -> None:
    seen = in_own_process(kill_again_and_again, tmp_path, 4)
    assert seen["candidates"] > 0


@pytest.mark.posix
@pytest.mark.slow
def test_200_kills(tmp_path: Path) -> None:
    seen = in_own_process(kill_again_and_again, tmp_path, 200)
    assert seen["candidates"] > 1000
    assert seen["step"] > 100
