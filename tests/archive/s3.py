"""An S3 server on loopback that fails now and then, as servers far away do."""

import contextlib
import random
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

BUCKET = "archive"
OPTIONS = {"key": "test", "secret": "test"}


class Faults:
    """Of the requests, every few: an error 500, an answer after a pause, none in time at all."""

    def __init__(self, app: Any, patience: float) -> None:
        self.app, self.patience = app, patience
        self.rng, self.lock = random.Random(80), threading.Lock()
        self.seen: Counter[str] = Counter()  # by requests for photos
        self.on = False

    def __call__(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        with self.lock:
            draw = self.rng.random() if self.on else 1.0
            kind = "error" if draw < 0.15 else "slow" if draw < 0.25 else "fine"
            kind = "hang" if draw < 0.03 else kind
            self.seen[kind] += "/day" in environ["PATH_INFO"]
        if kind == "hang":
            time.sleep(2 * self.patience)
        if kind == "slow":
            time.sleep(0.2 * self.patience)
        if kind in ("hang", "error"):
            start("500 Internal Server Error", [("Content-Type", "text/plain")])
            return [b"not now"]
        return self.app(environ, start)


@contextlib.contextmanager
def faulty_s3(patience: float) -> Iterator[tuple[str, Faults]]:
    """Gives the server's address, and the faults, which are off until `on` is set."""
    app = Faults(DomainDispatcherApplication(create_backend_app), patience)
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", app
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
