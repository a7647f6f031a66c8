"""Photos of a plain web server: single ones, signed addresses, pages of links, dead links."""

import contextlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import semilar
from tests.archive.photos import hashes, make_photos, removed, rows


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder; what is called secret it refuses."""

    def do_GET(self) -> None:
        if "secret" in self.path:
            self.send_error(403)
        else:
            super().do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def test_photos_come_from_the_web(tmp_path: Path, model: Path) -> None:
    source = make_photos(tmp_path / "in", 6)
    wanted = removed(source, tmp_path / "removed", model)
    with served(source) as web:
        report = semilar.bulk(f"{web}/", tmp_path / "page", model=model, workers=1)
        assert (report.done, report.failed) == (6, 0)
        names = ["day0/00000.jpg?signature=a/b", "day0/gone.jpg", "day0/secret.jpg"]
        (tmp_path / "list.csv").write_text("\n".join(["source", *(f"{web}/{n}" for n in names)]))
        report = semilar.bulk(
            [tmp_path / "list.csv", f"{web}/day1/00001.png?size=full"],
            tmp_path / "list",
            model=model,
            workers=1,
        )
        assert (report.done, report.failed) == (2, 2)
    assert hashes(tmp_path / "page") == wanted
    host = web.removeprefix("http://")
    assert hashes(tmp_path / "list") == {
        f"{host}/day0/00000.jpg": wanted["day0/00000.jpg"],
        "00001.png": wanted["day1/00001.png"],
    }
    table = {row["source"]: row for row in rows(tmp_path / "list" / "manifest.parquet")}
    assert "there is no such file" in table[f"{web}/day0/gone.jpg"]["error"]
    assert "secret.jpg: access is refused (403" in table[f"{web}/day0/secret.jpg"]["error"]
    assert table[f"{web}/day0/secret.jpg"]["seconds"] < 20  # not tried for half a minute
