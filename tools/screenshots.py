"""Make docs/images/page-*.png: the page with the bundled model, wide, on a phone, dark and light.

    python tools/screenshots.py

Night pictures are those of `semilar demo`; run it again whenever the page or the model changes.
"""

import sys
import tempfile
from pathlib import Path

from semilar.threads import one_thread_for_algebra

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
one_thread_for_algebra()

from tests.serve.browser import FLAGS, chromium_path, open_page, settle, wait_state  # noqa: E402
from tests.serve.live import live  # noqa: E402

OUT = Path("docs/images")
VIEWS = {
    "page-desktop": {"color_scheme": "dark", "viewport": {"width": 1120, "height": 700}},
    "page-light": {"color_scheme": "light", "viewport": {"width": 1120, "height": 700}},
    "page-phone": {
        "color_scheme": "dark",
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 1.5,
    },
}


def main() -> None:
    from playwright.sync_api import sync_playwright

    from semilar.cli.demo import make_pictures
    from semilar.photo import find_photos
    from semilar.serve.starting import ServicePlan

    folder = Path(tempfile.mkdtemp())
    make_pictures(folder)
    files = [str(file) for file in find_photos(folder / "input")]
    OUT.mkdir(parents=True, exist_ok=True)
    with live(ServicePlan().app()) as (host, port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        for name, options in VIEWS.items():
            page = open_page(browser, f"http://{host}:{port}/", **options)
            page.set_input_files("#files", files)
            for row in range(1, len(files) + 1):
                wait_state(page, "done", row=row)
            settle(page)
            page.screenshot(path=OUT / f"{name}.png")
            print(OUT / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
