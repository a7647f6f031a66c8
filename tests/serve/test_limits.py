"""Each limit is kept, and whoever meets it is told which."""

import asyncio
import threading
import time

import httpx
import pytest

from semilar.errors import SemilarError
from semilar.serve.settings import Limits
from tests.serve.fakes import Gate, app_with, client_of, dim, jpeg
from tests.support.pictures import png_header

PHOTO = {"content": jpeg(), "headers": {"Content-Type": "image/jpeg"}}


def post(app, **request) -> httpx.Response:
    async def ask() -> httpx.Response:
        async with client_of(app) as client:
            return await client.post("/v1/remove", **request)

    return asyncio.run(ask())


async def until(condition) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


def test_a_body_announced_too_large_is_not_read():
    consumed = []

    async def body():
        consumed.append(True)
        yield jpeg()

    headers = {"Content-Type": "image/jpeg", "Content-Length": "1000001", "Expect": "100-continue"}
    answer = post(app_with(body_bytes=1_000_000), content=body(), headers=headers)
    assert answer.status_code == 413
    assert "1,000,000 bytes" in answer.json()["detail"]
    assert not consumed


@pytest.mark.parametrize("form", [False, True])
def test_a_body_of_unknown_length_is_cut_off_while_it_arrives(form):
    sent = 0
    head = b'--b\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'

    async def endless():
        nonlocal sent
        yield head if form else b"\xff\xd8\xff"
        while sent < 50_000_000:
            sent += 10_000
            yield bytes(10_000)

    kind = "multipart/form-data; boundary=b" if form else "image/jpeg"
    answer = post(app_with(body_bytes=200_000), content=endless(), headers={"Content-Type": kind})
    assert answer.status_code == 413
    assert sent < 500_000  # the limit, and as much again that is thrown away for courtesy


def test_a_slow_body_is_not_waited_for():
    async def slow():
        yield jpeg()[:100]
        await asyncio.sleep(20)
        yield b""

    began = time.monotonic()
    answer = post(
        app_with(body_seconds=0.2), content=slow(), headers={"Content-Type": "image/jpeg"}
    )
    assert answer.status_code == 408
    assert time.monotonic() - began < 10


def test_a_bomb_is_refused_before_it_is_decoded():
    answer = post(app_with(), content=png_header(60_000, 60_000))
    assert answer.status_code == 422
    assert "60000 x 60000 pixels" in answer.json()["detail"]


def test_formats_can_be_narrowed():
    answer = post(app_with(formats=("PNG",)), **PHOTO)
    assert answer.status_code == 415
    assert answer.json()["detail"] == "photo: JPEG is not taken here; taken are PNG."
    camera = post(app_with(), content=b"II*\0" + bytes(60), params={"name": "a.dng"})
    assert camera.status_code == 415


def test_past_the_queue_comes_503_and_earlier_requests_are_answered():
    gate = Gate()
    app = app_with(gate, workers=1, queue=1)

    async def crowd():
        async with client_of(app) as client:
            first = asyncio.create_task(client.post("/v1/remove", **PHOTO))
            second = asyncio.create_task(client.post("/v1/remove", **PHOTO))
            await until(lambda: app.state.service.places.taken == 2)
            third = await client.post("/v1/remove", **PHOTO)
            gate.opened.set()
            return [third, await first, await second, await client.post("/v1/remove", **PHOTO)]

    refused, *answered = asyncio.run(crowd())
    assert refused.status_code == 503
    assert int(refused.headers["retry-after"]) >= 1
    assert [one.status_code for one in answered] == [200, 200, 200]


def test_never_more_jobs_at_once_than_allowed():
    running, most, lock = 0, 0, threading.Lock()

    def count(photo, asked):
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.02)
        with lock:
            running -= 1
        return dim(photo, asked)

    app = app_with(count, workers=3, queue=30)

    async def crowd():
        async with client_of(app) as client:
            asks = [client.post("/v1/remove", **PHOTO) for _ in range(20)]
            return [one.status_code for one in await asyncio.gather(*asks)]

    assert asyncio.run(crowd()) == [200] * 20
    assert most == 3


def test_a_job_out_of_time_is_answered_and_its_thread_still_counts():
    gate = Gate()
    app = app_with(gate, workers=1, queue=0, job_seconds=0.1)
    places = app.state.service.places

    async def story():
        async with client_of(app) as client:
            late = await client.post("/v1/remove", **PHOTO)
            assert (places.taken, places.running) == (0, 1)
            gate.opened.set()
            await until(lambda: places.running == 0)
            return late, await client.post("/v1/remove", **PHOTO)

    late, next_one = asyncio.run(story())
    assert late.status_code == 504
    assert "0.1 s" in late.json()["detail"]
    assert next_one.status_code == 200


def test_a_client_that_goes_away_frees_its_place():
    gate = Gate()
    app = app_with(gate, workers=1, queue=1)
    places = app.state.service.places

    async def story():
        async with client_of(app) as client:
            stays = asyncio.create_task(client.post("/v1/remove", **PHOTO))
            await until(lambda: places.running == 1)
            await _leaving(app, lambda: places.taken == 2)
            await until(lambda: places.taken == 1)
            third = asyncio.create_task(client.post("/v1/remove", **PHOTO))
            await until(lambda: places.taken == 2)
            gate.opened.set()
            return await stays, await third

    assert [one.status_code for one in asyncio.run(story())] == [200, 200]
    assert gate.calls == 2  # the photo of the one who left was never worked on


async def _leaving(app, waiting) -> None:
    """A client that sends its photo, waits for its turn and closes the connection."""
    messages = [{"type": "http.request", "body": jpeg(), "more_body": False}]

    async def receive():
        if messages:
            return messages.pop()
        await until(waiting)
        return {"type": "http.disconnect"}

    async def send(message):
        pass

    scope = {"type": "http", "method": "POST", "path": "/v1/remove", "raw_path": b"/v1/remove"}
    scope |= {"query_string": b"", "headers": [(b"content-length", b"%d" % len(jpeg()))]}
    scope |= {"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2), "scheme": "http"}
    await app({**scope, "asgi": {"version": "3.0"}, "http_version": "1.1"}, receive, send)


def test_a_client_that_asks_too_often_has_to_wait():
    app = app_with(rate=4)

    async def hurry():
        async with client_of(app) as client:
            return [await client.post("/v1/remove", **PHOTO) for _ in range(3)]

    answers = asyncio.run(hurry())
    assert [one.status_code for one in answers] == [200, 200, 429]
    assert 1 <= int(answers[2].headers["retry-after"]) <= 15


def test_the_event_loop_goes_on_while_photos_are_worked_on():
    gate = Gate()
    app = app_with(gate, workers=2)

    async def story():
        async with client_of(app) as client:
            jobs = [asyncio.create_task(client.post("/v1/remove", **PHOTO)) for _ in range(2)]
            await until(lambda: app.state.service.places.running == 2)
            alive = await client.get("/healthz")
            gate.opened.set()
            await asyncio.gather(*jobs)
            return alive

    assert asyncio.run(story()).json() == {"status": "ok"}


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"workers": 0}, "workers"),
        ({"queue": -1}, "queue"),
        ({"body_bytes": 0}, "body bytes"),
        ({"job_seconds": float("nan")}, "job seconds"),
        ({"formats": ("EXE",)}, "EXE"),
        ({"formats": ()}, "format"),
    ],
)
def test_limits_that_make_no_sense(limits, says):
    with pytest.raises(SemilarError, match=says):
        Limits(**limits)
