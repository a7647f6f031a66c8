"""Whose requests are taken: the names the service answers to and the web pages that may post.

A browser sends requests to this computer for any page it shows. Two headers, which pages cannot
forge, tell them apart: `Host` is the name the browser was given (a stranger's name that leads
here is DNS rebinding), `Origin` and `Sec-Fetch-Site` tell whose page asks.
"""

import ipaddress
import re
import socket
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from semilar.errors import SemilarError
from semilar.serve.problems import RefusedError

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
_EVERY_ADDRESS = ("", "0.0.0.0", "::")
_PORTS = {"http": 80, "https": 443}
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")


def name_of(host: str) -> str:
    """The name in a Host header: without port, brackets and final dot, in lower case.

    >>> name_of("Example.org:8000"), name_of("[::1]:8000"), name_of("::1")
    ('example.org', '::1', '::1')
    """
    text = host.strip().lower()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return (text if text.count(":") > 1 else text.partition(":")[0]).rstrip(".")


def is_address(name: str) -> bool:
    """Whether `name` is a numeric address, which needs no DNS and can't be rebound."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def reached_from_elsewhere(host: str) -> bool:
    """Whether a service that listens on `host` can be reached from other computers."""
    if host in _EVERY_ADDRESS:
        return True
    try:
        found = {one[4][0] for one in socket.getaddrinfo(host, None)}
    except OSError:  # listening there will fail, and say why
        return False
    return not all(ipaddress.ip_address(str(one).partition("%")[0]).is_loopback for one in found)


def names_for(host: str) -> tuple[tuple[str, ...], bool]:
    """(names, any address too) that a service listening on `host` answers to by itself."""
    if host in _EVERY_ADDRESS:
        return (*LOCAL_NAMES, name_of(socket.gethostname())), True
    return (*LOCAL_NAMES, name_of(host)), False


def check_name(text: str) -> str:
    """A host name as a person gives it, in lower case; an address with a scheme is refused.

    >>> check_name("Example.org")
    'example.org'
    """
    bare = name_of(text.partition("://")[2].partition("/")[0] if "://" in text else text)
    if text.lower() in (bare, f"[{bare}]") and (_NAME.fullmatch(bare) or is_address(bare)):
        return bare
    right = bare if _NAME.fullmatch(bare) or is_address(bare) else "example.org"
    raise SemilarError(f"--allow-host {text}: is not a bare host name; write it as {right}.")


def check_origin(text: str, *, token: bool) -> str:
    """A web origin as browsers send it; anything else is refused with the right form.

    >>> check_origin("https://example.org", token=False)
    'https://example.org'
    """
    if text == "*":
        if token:
            raise SemilarError(
                "--cors *: with a token, name each web origin, as https://example.org."
            )
        return text
    right = _canonical(text)
    if text != right:
        raise SemilarError(f"--cors {text}: is not a web origin; write it as {right}.")
    return text


def _canonical(text: str) -> str:
    """The origin that `text` most likely means, as scheme://host[:port]."""
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        name, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        name, port, parts = "", None, urlsplit("")
    if parts.scheme not in _PORTS or not (_NAME.fullmatch(name) or is_address(name)):
        return "https://example.org"
    shown = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{shown}" + (
        f":{port}" if port not in (None, _PORTS[parts.scheme]) else ""
    )


class Callers:
    """ASGI: refuses requests for other hosts (400) and posts from other origins (403)."""

    def __init__(
        self, app: ASGIApp, *, hosts: tuple[str, ...] | None, addresses: bool, cors: tuple[str, ...]
    ) -> None:
        self.app = app
        self.hosts = hosts
        self.addresses = addresses
        self.cors = cors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        refused = self._refused(scope) if scope["type"] == "http" else None
        await (self.app if refused is None else refused.response())(scope, receive, send)

    def _refused(self, scope: Scope) -> RefusedError | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._takes_host(name_of(host)):
            message = "This service does not answer to that name; --allow-host adds one."
            return RefusedError(HTTPStatus.BAD_REQUEST, message)
        if scope["method"] not in ("GET", "HEAD", "OPTIONS") and not self._takes_origin(headers):
            message = "Pages of other origins may not post here; --cors lets one in."
            return RefusedError(HTTPStatus.FORBIDDEN, message)
        return None

    def _takes_host(self, name: str) -> bool:
        if self.hosts is None or name in self.hosts:
            return True
        return self.addresses and is_address(name)

    def _takes_origin(self, headers: Headers) -> bool:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if "*" in self.cors or origin in self.cors:
            return True
        if site is not None:  # it knows the page's own origin, even behind a proxy
            return site in ("same-origin", "none")
        return origin is None or urlsplit(origin).netloc == headers.get("host", "").lower()
