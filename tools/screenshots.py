"""Make docs/images/page-*.png: the page with the bundled model, wide, on a phone, dark and light.

    python tools/screenshots.py

Night pictures are those of `semilar demo`; run it again whenever the page or the model changes.
"""

import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chromium import FLAGS, found
from playwright.sync_api import sync_playwright

from semilar.cli.demo import make_pictures
from semilar.photo import find_photos

OUT = Path("docs/images")
SCREENS = {
    "page-desktop": {"color_scheme": "dark", "viewport": {"width": 1120, "height": 700}},
    "page-light": {"color_scheme": "light", "viewport": {"width": 1120, "height": 700}},
    "page-phone": {
        "color_scheme": "dark",
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 1.5,
    },
}


@contextmanager
def service() -> Iterator[str]:
    """The address of a service of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}/"
    command = [sys.executable, "-m", "semilar", "serve", "-q", "--port", str(port)]
    process = subprocess.Popen(command)
    try:
        while not answers(f"{address}readyz"):
            if process.poll() is not None:
                sys.exit("The service did not start.")
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait()


def answers(url: str) -> bool:
    """Whether something good comes from there."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError):
        return False


def main() -> None:
    browser_path = found()
    if browser_path is None:
        sys.exit("There is no chromium here: tools/chromium.py installs one.")
    folder = Path(tempfile.mkdtemp())
    make_pictures(folder)
    files = [str(file) for file in find_photos(folder / "input")]
    OUT.mkdir(parents=True, exist_ok=True)
    with service() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
        for name, options in SCREENS.items():
            page = browser.new_context(**options).new_page()
            page.goto(address)
            page.set_input_files("#files", files)
            for row in range(1, len(files) + 1):
                page.wait_for_selector(f"#photos li:nth-child({row})[data-state=done]")
            page.wait_for_timeout(300)  # until it is painted
            page.screenshot(path=OUT / f"{name}.png")
            print(OUT / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
