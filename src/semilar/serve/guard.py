"""Around every answer: security headers, a report, and a polite end to bodies nobody read."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from semilar.serve.problems import fault

_LINGER_SECONDS = 3.0
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass
class Exchange:
    """A request and what became of it."""

    client: str
    method: str
    path: str
    status: int = 0
    size: int = 0
    seconds: float = 0.0


class Guard:
    """Plain ASGI, outermost.

    A request refused before its body was read would be cut off while the client still sends, and
    many clients then miss the answer. So the answer goes out, what still comes is thrown away for
    a moment, and the connection closes.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        answered: Callable[[Exchange], None],
        linger_bytes: int,
        shared: bool = False,
    ) -> None:
        self.app = app
        self.answered = answered
        self.linger_bytes = linger_bytes
        self.headers = dict(_HEADERS)
        self.headers["Cross-Origin-Resource-Policy"] = "cross-origin" if shared else "same-origin"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = _Unread(Headers(scope=scope), receive)
        exchange, started = _exchange(scope), time.perf_counter()

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                if body.expected:
                    headers["Connection"] = "close"
                await send(message)
                return
            exchange.size += len(message.get("body", b""))
            if message.get("more_body", False):
                await send(message)
                return
            exchange.seconds = time.perf_counter() - started
            self.answered(exchange)
            if body.expected:
                await send({**message, "more_body": True})
                await body.discard(self.linger_bytes)
                message = {"type": "http.response.body", "body": b"", "more_body": False}
            await send(message)

        try:
            await self.app(scope, body.receive, guarded)
        except Exception:
            if not exchange.status:
                await fault().response()(scope, body.receive, guarded)
            raise  # for the log


def _exchange(scope: Scope) -> Exchange:
    client = scope.get("client") or ("-", 0)
    path = scope.get("raw_path") or scope["path"].encode()
    return Exchange(client=client[0], method=scope["method"], path=path.decode("latin-1"))


class _Unread:
    """Knows whether more of the request's body is to come."""

    def __init__(self, headers: Headers, receive: Receive) -> None:
        has_body = "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
        self.expected = has_body
        # A client that waits to be asked for its body must not be asked only to be refused.
        self._waits = "100-continue" in headers.get("expect", "").lower()
        self._receive = receive

    async def receive(self) -> Message:
        message = await self._receive()
        self._waits = False
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            self.expected = False
        return message

    async def discard(self, most: int) -> None:
        """Read and forget, within bounds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_SECONDS):
                while self.expected and not self._waits and most > 0:
                    most -= len((await self.receive()).get("body", b""))
