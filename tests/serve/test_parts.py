"""The small parts, each against what it promises."""

import asyncio
import re
import threading

import pytest

from semilar.serve import names
from semilar.serve.places import FullError, Places, TooLongError
from semilar.serve.rates import Rate


def test_a_bucket_fills_again_with_time():
    now = 0.0
    rate = Rate(60, clock=lambda: now)
    assert [rate.wait("a") for _ in range(30)] == [0] * 30
    assert rate.wait("a") == 1
    assert rate.wait("b") == 0
    now = 2.0
    assert [rate.wait("a") for _ in range(3)] == [0, 0, 1]


def test_no_rate_means_no_limit():
    rate = Rate(0)
    assert not any(rate.wait("a") for _ in range(1000))


def test_forgotten_clients_do_not_fill_the_memory():
    rate = Rate(60)
    for client in range(12_000):
        rate.wait(f"10.{client >> 16}.{client >> 8 & 255}.{client & 255}")
    assert len(rate._buckets) == 10_000


def test_neighbours_of_an_ipv6_network_share_a_bucket():
    rate = Rate(2)
    assert rate.wait("2001:db8::1") == 0
    assert rate.wait("2001:db8::2") > 0
    assert rate.wait("2001:db8:0:1::1") == 0


@pytest.mark.parametrize(
    "name", ["x" * 500 + ".jpeg", "\u202egpj.exe", "a\x00b", "💡.jpg", "\ud800.jpg"]
)
def test_any_name_makes_a_legal_header(name):
    header = names.disposition(names.named(names.harmless(name), "JPEG"))
    assert re.fullmatch(
        r"attachment; filename=\"[ -~]+\"; filename\*=UTF-8''[A-Za-z0-9._~%-]+", header
    )
    assert len(header) < 1000


def test_places_are_given_back_after_an_error():
    places = Places(workers=1, queue=0)

    def fail() -> None:
        with places.place():
            with pytest.raises(FullError), places.place():
                pass
            raise KeyError

    for _ in range(3):
        with pytest.raises(KeyError):
            fail()
    assert places.taken == 0


def test_a_job_is_told_that_its_time_is_over():
    told = threading.Event()

    def job(stop: threading.Event) -> None:
        if stop.wait(20):
            told.set()

    async def story() -> None:
        places = Places(workers=1, queue=0)
        with pytest.raises(TooLongError):
            await places.run(job, seconds=0.05)

    asyncio.run(story())
    assert told.wait(20)


def test_the_time_to_come_back_follows_the_jobs():
    async def story() -> int:
        places = Places(workers=2, queue=8)
        places.mean_seconds, places.taken = 3.0, 10
        return places.retry_after()

    assert asyncio.run(story()) == 15
