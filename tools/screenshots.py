"""Make docs/images/page-*.png: the page with the bundled model, wide, on a phone, dark and light.

    python tools/screenshots.py

Night pictures are simulated; run it again whenever the page or the model changes.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from tests.serve.browser import FLAGS, chromium_path, open_page, settle, wait_state  # noqa: E402
from tests.serve.live import live  # noqa: E402

OUT = Path("docs/images")
SIZE = 800, 1200
# (scene, flare) seeds of the pictures in the list, the shown one first
PICTURES = {"square.jpg": (11, 111), "street.jpg": (20, 120), "harbour.jpg": (12, 112)}
VIEWS = {
    "page-desktop": {"color_scheme": "dark", "viewport": {"width": 1120, "height": 700}},
    "page-light": {"color_scheme": "light", "viewport": {"width": 1120, "height": 700}},
    "page-phone": {
        "color_scheme": "dark",
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 1.5,
    },
}


def pictures() -> list[dict]:
    """Simulated night photos with flare, as a file chooser hands them over."""
    import io

    import numpy as np
    from PIL import Image

    from semilar.flare import synthesize
    from semilar.flare.presets import preset
    from semilar.flare.scene import night_scene

    made = []
    for name, (scene, seed) in PICTURES.items():
        sample = synthesize(
            night_scene(scene, SIZE), seed=seed, settings=preset("realistic"), size=SIZE
        )
        stream = io.BytesIO()
        Image.fromarray(np.rint(255 * sample.input).astype(np.uint8)).save(
            stream, "JPEG", quality=93
        )
        made.append({"name": name, "mimeType": "image/jpeg", "buffer": stream.getvalue()})
    return made


def main() -> None:
    from playwright.sync_api import sync_playwright

    from semilar.serve.running import Plan

    files = pictures()
    OUT.mkdir(parents=True, exist_ok=True)
    with live(Plan().app()) as (host, port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        for name, options in VIEWS.items():
            page = open_page(browser, f"http://{host}:{port}/", **options)
            page.set_input_files("#files", files)  # type: ignore[arg-type]
            for row in range(1, len(files) + 1):
                wait_state(page, "done", row=row)
            settle(page)
            page.screenshot(path=OUT / f"{name}.png")
            print(OUT / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
