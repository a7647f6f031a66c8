"""Chromium with the page open, and what tests do with it over and over."""

import base64
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page
from tools.chromium import found

from semilar import photo
from semilar.restore import Remover
from tests.support.pictures import file_bytes

SHOTS = Path("out/screenshots")
CODE = (200, 120, 60)
PLAIN = file_bytes(Image.new("RGB", (300, 200), CODE), "PNG")


def chromium_path() -> str:
    """Where the browser is; without one the test is skipped, but in CI it fails."""
    path = found()
    if path is None:
        assert not os.environ.get("CI"), "CI has no chromium: tools/chromium.py installs it"
        pytest.skip("no chromium on this computer; `make test` as root on Debian installs it")
    return path


def open_page(browser: Browser, url: str, **options) -> Page:
    """A fresh page that fails the test when a script on it does."""
    options = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark", **options}
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(30_000)
    page.problems = []  # type: ignore[attr-defined]
    page.hosts = set()  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.problems.append(str(error)))  # type: ignore[attr-defined]
    page.on("request", lambda one: page.hosts.add(one.url.split("/", 3)[2]))  # type: ignore[attr-defined]
    page.goto(url)
    return page


def hand_over(page: Page, event: str, *files: tuple[str, bytes]) -> None:
    """Drop or paste files, as a person does with the mouse or the clipboard."""
    coded = [[name, base64.b64encode(content).decode()] for name, content in files]
    page.evaluate(
        """([kind, files]) => {
          const data = new DataTransfer();
          for (const [name, text] of files) {
            const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
            data.items.add(new File([bytes], name));
          }
          const options = { bubbles: true, cancelable: true };
          document.body.dispatchEvent(kind === "paste"
            ? new ClipboardEvent("paste", { ...options, clipboardData: data })
            : new DragEvent(kind, { ...options, dataTransfer: data }));
        }""",
        [event, coded],
    )


def wait_state(page: Page, state: str, *, row: int = 1) -> None:
    """Until the photo in that row of the list is in this state, and painted."""
    page.wait_for_selector(f"#photos li:nth-child({row})[data-state={state}]")
    settle(page)


def settle(page: Page) -> None:
    """Two frames: the first draws what was asked, the second shows that it has."""
    page.evaluate("() => new Promise((r) => setTimeout(() => requestAnimationFrame(r), 100))")


def colour(page: Page, x: float, y: float = 0.5) -> np.ndarray:
    """The colour that stands at this share of the stage's width and height."""
    code = page.evaluate(
        """([x, y]) => {
          const canvas = document.getElementById("canvas");
          const at = [Math.round(x * canvas.width), Math.round(y * canvas.height), 1, 1];
          return [...canvas.getContext("2d").getImageData(...at).data];
        }""",
        [x, y],
    )
    return np.array(code[:3])


def shot(page: Page, name: str) -> None:
    """Keep a picture of the page."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")


def saved(page: Page, action) -> tuple[str, bytes]:
    """(name, content) of the file that `action` makes the page save."""
    with page.expect_download() as waiting:
        action()
    download = waiting.value
    return download.suggested_filename, Path(download.path()).read_bytes()


def restored(remover: Remover, content: bytes, strength: float = 1.0):
    """What the page should show, from the Python session."""
    return remover.remove(photo.read(content), strength=strength)


def close_to(seen: np.ndarray, expected, by: int = 1) -> bool:
    """Whether two colours are the same but for rounding."""
    return bool(np.abs(seen.astype(int) - np.asarray(expected, int)).max() <= by)
