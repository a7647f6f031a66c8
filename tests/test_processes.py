"""Several processes: answers, errors, and a worker that dies."""

import os
import signal

import pytest

from semilar.errors import SemilarError
from semilar.processes import in_processes
from semilar.threads import cores


def double(number: int) -> int:
    return 2 * number


def fail_at_three(number: int) -> int:
    if number == 3:
        raise SemilarError("picture 3: is bad.")
    return number


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_all_answers_come() -> None:
    assert sorted(in_processes(double, range(7), jobs=2)) == [0, 2, 4, 6, 8, 10, 12]


def test_one_job_stays_in_this_process() -> None:
    here = os.getpid()
    assert set(in_processes(lambda _: os.getpid(), range(7), jobs=1)) == {here}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_ends_the_run_with_its_message(jobs: int) -> None:
    with pytest.raises(SemilarError, match="picture 3: is bad"):
        list(in_processes(fail_at_three, range(9), jobs=jobs))


@pytest.mark.posix
def test_a_killed_worker_is_an_error() -> None:
    with pytest.raises(SemilarError, match="fewer at a time"):
        list(in_processes(die, range(6), jobs=2))


def test_processors_are_those_we_may_use() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
