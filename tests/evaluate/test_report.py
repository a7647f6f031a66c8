"""The report page: what it holds, and how it behaves in a browser."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, sync_playwright

from semilar.evaluate import evaluate, pair_folders, summarize
from semilar.evaluate.error_map import error_map
from semilar.evaluate.report import chosen, write_report
from tests.evaluate.conftest import COUNT, save, with_flare

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture
def page_file(folders: dict[str, Path], tmp_path: Path) -> Path:
    evaluation = evaluate(pair_folders(folders), with_lpips=False)
    target = tmp_path / "page.html"
    write_report(
        evaluation, summarize(evaluation), target, title="<ours> & theirs", mark="x", pictures=4
    )
    return target


def test_the_page_is_self_contained_and_escaped(page_file: Path) -> None:
    text = page_file.read_text()
    assert "&lt;ours&gt; &amp; theirs" in text
    assert "<ours>" not in text
    assert text.count('<article class="card"') == 4
    sources = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert sources
    assert all(source.startswith(("data:image/jpeg;base64,", "#")) for source in sources)
    assert not re.search(r"<!--[A-Z_]+-->", text)
    assert "http://" not in text
    assert "https://" not in text


def test_hostile_file_names_stay_text(folders: dict[str, Path], tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>&'\""
    for role in ("result", "truth"):
        first = sorted(folders[role].iterdir())[0]
        first.rename(first.with_name(f"{name}.png"))
    pictures = pair_folders({role: folders[role] for role in ("result", "truth")})
    evaluation = evaluate(pictures, with_lpips=False)
    write_report(
        evaluation, summarize(evaluation), tmp_path / "p.html", title="t", mark="x", pictures=9
    )
    assert "<img src=x" not in (tmp_path / "p.html").read_text()


def test_the_worst_are_shown_first_then_the_spread() -> None:
    ranking = list(range(100, 140))
    assert chosen(ranking, 5) == [100, 101, 102, 103, 104]
    assert chosen(ranking, 12) == [*ranking[:10], 110, 139]
    assert chosen(ranking, 99) == ranking
    assert chosen(ranking, 0) == []


def test_error_maps_are_warm_where_too_bright_and_cold_where_too_dark() -> None:
    truth = np.full((4, 6, 3), 100, np.uint8)
    picture = truth.copy()
    picture[:, :2] += 40
    picture[:, 4:] -= 40
    colours = error_map(picture, truth).astype(int)
    assert colours[0, 0, 0] > colours[0, 0, 2] + 100  # red over blue
    assert colours[0, 5, 2] > colours[0, 5, 0] + 100  # blue over red
    assert colours[0, 3].max() < 20
    deep = error_map(picture.astype(np.uint16) * 257, truth.astype(np.uint16) * 257)
    np.testing.assert_array_equal(deep, colours)


@pytest.fixture
def browser_page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page = browser.new_page(color_scheme="light")
        troubles: list[str] = []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda message: troubles.append(message.text))
        yield page
        browser.close()
        assert troubles == []


@pytest.mark.browser
def test_in_a_browser(page_file: Path, browser_page: Page) -> None:
    page = browser_page
    page.goto(page_file.as_uri())
    # The slider answers to the keyboard and moves the cut.
    slider = page.locator(".compare input").first
    slider.focus()
    page.keyboard.press("End")
    assert slider.get_attribute("aria-valuetext") == "100 %"
    page.keyboard.press("ArrowLeft")
    assert (
        page.locator(".compare").first.evaluate("e => e.style.getPropertyValue('--cut')") == "99.5%"
    )
    # The left side can be changed.
    card = page.locator(".card").first
    assert card.locator(".tag-left").inner_text() == "untouched input"
    card.locator("input[value=truth]").check()
    assert card.locator(".tag-left").inner_text() == "ground truth"
    assert card.locator("img.left:visible").get_attribute("data-role") == "truth"
    # All pictures have been decoded.
    assert page.evaluate(
        "Promise.all([...document.images].map(i => i.decode().then(() => i.naturalWidth > 0)))"
        ".then(all => all.every(Boolean))"
    )
    # Dark and light.
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.locator("#theme").click()
    assert page.evaluate(background) != light
    # Sorting: up, down, and pictures without the region last either way.
    names = [cell.inner_text() for cell in page.locator("#rows thead th").all()]
    streak = next(i for i, name in enumerate(names) if name.startswith("S-PSNR"))
    for direction in ("ascending", "descending"):
        page.locator("#rows thead button").nth(streak).click()
        heading = page.locator("#rows thead th").nth(streak)
        assert heading.get_attribute("aria-sort") == direction
        cells = page.locator(f"#rows tbody tr > :nth-child({streak + 1})").all_inner_texts()
        values = [float(cell) for cell in cells if cell != "–"]
        assert values == sorted(values, reverse=direction == "descending")
        assert cells[len(values) :] == ["–"] * (COUNT - len(values))
        assert 0 < len(values) < COUNT
    # A phone: nothing but the wide tables scrolls sideways.
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_exact_match_is_shown_as_infinite(folders: dict[str, Path], tmp_path: Path) -> None:
    for i in range(COUNT):
        save(with_flare(i, 0), folders["result"] / f"{i:03}.png")
    evaluation = evaluate(pair_folders(folders), with_lpips=False)
    assert evaluation.rows[0]["result"]["psnr"] == math.inf
    write_report(
        evaluation, summarize(evaluation), tmp_path / "p.html", title="t", mark="x", pictures=1
    )
    assert 'data-value="Infinity">inf<' in (tmp_path / "p.html").read_text()
