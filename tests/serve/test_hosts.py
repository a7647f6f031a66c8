"""Names the service answers to, and pages that may post."""

import asyncio
import socket

import httpx
import pytest

from semilar.errors import SemilarError
from semilar.serve import hosts
from semilar.serve.app import create_app
from semilar.serve.settings import ServiceSettings
from tests.serve.fakes import MODEL, client_of, dim, jpeg


def ask(settings: ServiceSettings, method: str = "POST", **headers: str) -> httpx.Response:
    app = create_app(dim, settings=settings, model=MODEL)
    path, content = ("/v1/remove", jpeg()) if method == "POST" else ("/healthz", None)
    headers = {name.replace("_", "-"): value for name, value in headers.items()}

    async def once() -> httpx.Response:
        async with client_of(app) as client:
            return await client.request(method, path, headers=headers, content=content)

    return asyncio.run(once())


LOCAL = ServiceSettings(hosts=("localhost", "127.0.0.1", "::1"))


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000", "localhost."]
)
def test_own_names_are_answered(host):
    assert ask(LOCAL, "GET", host=host).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.org", "localhost.evil.org", "evil.org:8000", "10.0.0.7", "[::2]", "", "a b"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_other_names_are_refused(host, method):
    answer = ask(LOCAL, method, host=host)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert "--allow-host" in answer.json()["detail"]


def test_any_address_but_not_any_name():
    open_to_all = ServiceSettings(hosts=("localhost",), addresses=True)
    assert ask(open_to_all, "GET", host="192.168.1.5:8000").status_code == 200
    assert ask(open_to_all, "GET", host="[2001:db8::1]:8000").status_code == 200
    assert ask(open_to_all, "GET", host="evil.org").status_code == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),  # no browser
        ({"origin": "http://localhost:8000"}, 200),
        ({"origin": "http://localhost:9000"}, 403),  # another service of this computer
        ({"origin": "https://evil.org"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://evil.org", "sec_fetch_site": "cross-site"}, 403),
        ({"origin": "http://other.localhost:8000", "sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        # behind a proxy that ends TLS the page's own origin is not the Host
        ({"origin": "https://flare.example.org", "sec_fetch_site": "same-origin"}, 200),
        ({"origin": "https://friend.example", "sec_fetch_site": "cross-site"}, 200),
    ],
)
def test_pages_of_other_origins_may_not_post(headers, status):
    settings = ServiceSettings(hosts=("localhost",), cors=("https://friend.example",))
    assert ask(settings, host="localhost:8000", **headers).status_code == status


def test_reading_is_not_posting():
    headers = {"host": "localhost", "origin": "https://evil.org", "sec_fetch_site": "cross-site"}
    answer = ask(LOCAL, "GET", **headers)
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


def test_every_origin_where_that_was_asked_for():
    answer = ask(ServiceSettings(cors=("*",)), origin="https://anybody.example")
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    ("origin", "right"),
    [
        ("example.org", "https://example.org"),
        ("localhost:3000", "https://localhost:3000"),
        ("https://example.org/", "https://example.org"),
        ("https://example.org/app?x=1", "https://example.org"),
        ("https://Example.org", "https://example.org"),
        ("https://example.org:443", "https://example.org"),
        ("http://user@example.org:8080", "http://example.org:8080"),
        ("http://[::1]:3000/", "http://[::1]:3000"),
        ("https://*.example.org", "https://example.org"),
        ("ftp://example.org", "https://example.org"),
        ("https://example.org:99999", "https://example.org"),
        ("null", "https://null"),
        ("", "https://example.org"),
    ],
)
def test_a_wrong_origin_is_told_the_right_form(origin, right):
    with pytest.raises(SemilarError) as error:
        ServiceSettings(cors=(origin,))
    assert str(error.value) == f"--cors {origin}: is not a web origin; write it as {right}."
    ServiceSettings(cors=(right,))


def test_a_wildcard_and_a_token_do_not_go_together():
    ServiceSettings(cors=("*",))
    with pytest.raises(SemilarError, match="name each web origin"):
        ServiceSettings(cors=("*",), token="sesame")


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("https://example.org", "example.org"),
        ("example.org:8000", "example.org"),
        ("example.org/flare", "example.org"),
        ("*", "example.org"),
        ("", "example.org"),
    ],
)
def test_a_wrong_host_name_is_told_the_right_form(given, right):
    with pytest.raises(SemilarError, match=f"write it as {right}"):
        hosts.check_name(given)
    assert hosts.check_name(right) == right


def test_where_it_can_be_reached_from_elsewhere(monkeypatch):
    def resolve(name, port):
        known = {"localhost": ["127.0.0.1", "::1"], "nas": ["127.0.1.1", "192.168.1.5"]}
        if name not in known and not hosts.is_address(name):
            raise OSError
        return [(0, 0, 0, "", (one, 0)) for one in known.get(name, [name])]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    far = {one: hosts.reached_from_elsewhere(one) for one in ("0.0.0.0", "::", "nas", "10.0.0.7")}
    near = {one: hosts.reached_from_elsewhere(one) for one in ("localhost", "127.0.0.1", "::1")}
    assert all(far.values())
    assert not any(near.values())
    assert not hosts.reached_from_elsewhere("no-such-name")  # the port check says what is wrong


def test_names_follow_the_address(monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "NAS")
    assert hosts.names_for("127.0.0.1")[1] is False
    names, addresses = hosts.names_for("0.0.0.0")
    assert {"localhost", "nas"} <= set(names)
    assert addresses
    assert "192.168.1.5" in hosts.names_for("192.168.1.5")[0]
