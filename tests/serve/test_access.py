"""Who may come in, and what browsers are told."""

import asyncio

import httpx
import pytest

from semilar.errors import SemilarError
from semilar.serve.app import create_app
from semilar.serve.settings import ServiceSettings
from tests.serve.fakes import MODEL, app_with, client_of, dim, jpeg

TOKEN = "sesame-0pen"


def ask(app, method: str, path: str, **request) -> httpx.Response:
    async def once() -> httpx.Response:
        async with client_of(app) as client:
            return await client.request(method, path, **request)

    return asyncio.run(once())


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/remove"), ("GET", "/v1/models"), ("GET", "/metrics")]
)
@pytest.mark.parametrize("given", [None, "Bearer wrong", "Basic sesame", "Bearer", "Bearer \xff"])
def test_without_the_token_nothing(method, path, given):
    headers = {"Authorization": given.encode("latin-1")} if given else {}
    answer = ask(app_with(token=TOKEN), method, path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_with_the_token_all_is_well():
    headers = {"Authorization": f"Bearer {TOKEN}".encode(), "Content-Type": "image/jpeg"}
    answer = ask(app_with(token=TOKEN), "POST", "/v1/remove", content=jpeg(), headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("token", ["", "two words", "ö", "line\n"])
def test_a_token_that_no_header_can_carry(token):
    with pytest.raises(SemilarError, match="letters, digits"):
        ServiceSettings(token=token)


@pytest.mark.parametrize("path", ["/", "/healthz", "/openapi.json"])
def test_the_page_and_the_state_need_no_token(path):
    assert ask(app_with(token=TOKEN), "GET", path).status_code == 200


@pytest.mark.parametrize("path", ["/", "/v1/models", "/nothing", "/page/main.js"])
def test_every_answer_carries_the_security_headers(path):
    headers = ask(app_with(), "GET", path).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_other_origins_are_not_let_in_by_default():
    headers = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    answer = ask(app_with(), "OPTIONS", "/v1/remove", headers=headers)
    assert "access-control-allow-origin" not in answer.headers


def test_a_named_origin_is_let_in_and_no_other():
    app = create_app(dim, settings=ServiceSettings(cors=("https://example.org",)), model=MODEL)
    photo = {"content": jpeg()}
    friend = ask(app, "POST", "/v1/remove", headers={"Origin": "https://example.org"}, **photo)
    stranger = ask(app, "POST", "/v1/remove", headers={"Origin": "https://evil.org"}, **photo)
    assert friend.headers["access-control-allow-origin"] == "https://example.org"
    assert "Semilar-Flare-Found" in friend.headers["access-control-expose-headers"]
    assert "access-control-allow-origin" not in stranger.headers


@pytest.mark.parametrize(
    "path", ["/page/../app.py", "/page/%2e%2e/app.py", "/page/", "/page", "//etc/passwd"]
)
def test_only_the_files_of_the_page_are_served(path):
    assert ask(app_with(), "GET", path).status_code == 404


def test_the_page_names_no_other_host():
    for path in ("/", "/page/main.js", "/page/style.css", "/page/service.js"):
        text = ask(app_with(), "GET", path).text
        assert "http://" not in text
        assert "https://" not in text


def test_files_of_the_page_are_not_sent_twice():
    first = ask(app_with(), "GET", "/page/style.css")
    again = ask(
        app_with(), "GET", "/page/style.css", headers={"If-None-Match": first.headers["etag"]}
    )
    assert again.status_code == 304
    assert not again.content
