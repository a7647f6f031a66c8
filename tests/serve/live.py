"""The service on a real port, in a thread of the test's own process."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator

import uvicorn
from fastapi import FastAPI

from semilar.serve.connection import Connection


@contextlib.contextmanager
def live(app: FastAPI, *, connections: int | None = None) -> Iterator[tuple[str, int]]:
    """(host, port) of the running application; connections are the service's own kind."""
    config = uvicorn.Config(
        app, http=Connection, ws="none", log_level="critical", limit_concurrency=connections
    )
    server = uvicorn.Server(config)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        wait_for(lambda: server.started)
        yield listening.getsockname()
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(20)
        assert not thread.is_alive(), "the service did not end"


def wait_for(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Until `condition()` holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def converse(address: tuple[str, int], *parts: bytes, pause: float = 0.0) -> bytes:
    """Send `parts` as they are, with pauses between, and read until the service closes."""
    with socket.create_connection(address, timeout=20) as line:
        for part in parts:
            line.sendall(part)
            time.sleep(pause)
        return read_all(line)


def read_all(line: socket.socket) -> bytes:
    """Everything until the other side closes; a reset counts as closing."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := line.recv(65536):
            received += chunk
    return received


def post_head(*headers: str, path: str = "/v1/remove") -> bytes:
    """The head of a POST with these further headers."""
    lines = [f"POST {path} HTTP/1.1", "Host: service", *headers, "", ""]
    return "\r\n".join(lines).encode()
