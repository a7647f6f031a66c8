"""The page in a real browser: what is seen, what is saved, and that everybody can use it."""

import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from semilar import photo
from semilar.serve.app import create_app
from semilar.serve.restorer import restorer
from semilar.serve.settings import ServiceSettings
from tests.serve.browser import (
    CODE,
    PLAIN,
    close_to,
    colour,
    hand_over,
    open_page,
    restored,
    saved,
    settle,
    shot,
    wait_state,
)
from tests.serve.fakes import MODEL
from tests.serve.live import live

pytestmark = pytest.mark.browser


def test_drop_a_photo_and_move_the_boundary(page, remover):
    hand_over(page, "dragover")
    expect(page.get_by_text("Drop to add")).to_be_visible()
    hand_over(page, "drop", ("street.png", PLAIN))
    wait_state(page, "done")
    after = restored(remover, PLAIN).image.pixels[100, 250]
    assert close_to(colour(page, 0.45), CODE)
    assert close_to(colour(page, 0.55), after)
    shot(page, "compare")

    divider = page.get_by_role("slider", name="Boundary between before and after")
    divider.focus()
    divider.press("End")
    settle(page)
    assert close_to(colour(page, 0.95), CODE)
    expect(divider).to_have_attribute("aria-valuetext", "100 % before, 0 % after")
    divider.press("Home")
    settle(page)
    assert close_to(colour(page, 0.2), after)

    box = page.locator("#stage").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 100, steps=4)
    page.mouse.up()
    settle(page)
    assert close_to(colour(page, 0.75), CODE)
    assert close_to(colour(page, 0.85), after)


def test_strength_answers_at_once_and_the_download_is_exact(page, remover):
    page.set_input_files("#files", {"name": "été.png", "mimeType": "image/png", "buffer": PLAIN})
    wait_state(page, "done")
    assert saved(page, page.locator("#download").click) == (
        "été.png",
        photo.encode(restored(remover, PLAIN).image),
    )
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    page.get_by_label("Strength").fill("40")
    settle(page)
    part = restored(remover, PLAIN, 0.4)
    assert close_to(colour(page, 0.9), part.image.pixels[0, 0])
    assert asked == []
    assert saved(page, page.locator("#download").click)[1] == photo.encode(part.image)

    page.get_by_text("Removed flare", exact=True).click()
    settle(page)
    assert close_to(colour(page, 0.5), part.flare.pixels[0, 0], by=2)
    shot(page, "flare")
    name, content = saved(page, page.get_by_role("button", name="Download flare").click)
    assert name == "été.flare.png"
    assert content == photo.encode(part.flare)


def test_what_the_browser_cannot_show_is_restored_all_the_same(page, remover):
    tiff = photo.encode(photo.Photo(pixels=np.full((40, 60, 3), 30_000, np.uint16)), format="TIFF")
    hand_over(page, "paste", ("deep.tif", tiff))
    wait_state(page, "done")
    assert close_to(colour(page, 0.2), [30_000 // 257] * 3)
    name, content = saved(page, page.locator("#download").click)
    assert name == "deep.tif"
    assert content == photo.encode(restored(remover, tiff).image)


def test_a_bad_file_is_explained_and_the_others_go_on(page):
    large = ("huge.png", bytes(1_000_001))
    hand_over(
        page, "drop", ("notes.txt", b"not a photo"), ("a.png", PLAIN), large, ("b.png", PLAIN)
    )
    wait_state(page, "done", row=4)
    expect(page.locator("#photos li")).to_have_count(4)
    page.get_by_role("button", name=re.compile("^notes.txt")).click()
    expect(page.get_by_role("alert")).to_contain_text("notes.txt: is not a picture")
    expect(page.locator("#download")).to_be_disabled()
    shot(page, "failed")
    page.get_by_role("button", name=re.compile("^huge.png")).click()
    expect(page.get_by_role("alert")).to_contain_text("larger than the 1 MB")
    page.get_by_role("button", name=re.compile("^a.png")).click()
    expect(page.get_by_role("alert")).to_be_empty()
    page.get_by_role("button", name="Remove notes.txt from the list").click()
    expect(page.locator("#photos li")).to_have_count(3)


def test_a_busy_service_is_asked_again(page):
    refusals = [503, 429]
    problem = '{"title": "Busy", "status": 503, "detail": "Too many photos are waiting."}'

    def sometimes(route):
        if refusals:
            route.fulfill(status=refusals.pop(), headers={"Retry-After": "1"}, body=problem)
        else:
            route.continue_()

    page.route("**/v1/remove", sometimes)
    hand_over(page, "drop", ("street.png", PLAIN))
    expect(page.locator("#status")).to_contain_text("busy; next try in 1 s")
    wait_state(page, "done")
    assert refusals == []


def test_zoom_by_buttons_keys_and_wheel(page):
    hand_over(page, "drop", ("street.png", PLAIN))
    wait_state(page, "done")
    zoom = page.locator("#zoom")
    fitted = zoom.inner_text()
    page.get_by_role("button", name="Real size").click()
    expect(zoom).to_have_text("100 %")
    page.keyboard.press("+")
    expect(zoom).to_have_text("150 %")
    page.locator("#stage").hover()
    page.mouse.wheel(0, -800)
    settle(page)
    assert int(zoom.inner_text().split()[0]) > 600
    before = page.evaluate("() => document.getElementById('canvas').toDataURL()")
    page.locator("#divider").focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("0")
    expect(zoom).to_have_text(fitted)
    settle(page)
    assert page.evaluate("() => document.getElementById('canvas').toDataURL()") != before


def test_a_phone(browser, url):
    page = open_page(
        browser, url, viewport={"width": 375, "height": 700}, has_touch=True, is_mobile=True
    )
    page.set_input_files("#files", {"name": "a.png", "mimeType": "image/png", "buffer": PLAIN})
    wait_state(page, "done")
    assert page.evaluate("() => document.documentElement.scrollWidth") == 375
    box = page.locator("#stage").bounding_box()
    assert box is not None
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [
            {"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"]} for x, y in points
        ]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", (0.5, 0.5))
    touch("touchMove", (0.7, 0.5))
    touch("touchMove", (0.9, 0.5))
    touch("touchEnd")
    settle(page)
    assert close_to(colour(page, 0.85), CODE)
    fitted = int(page.locator("#zoom").inner_text().split()[0])
    touch("touchStart", (0.45, 0.5), (0.55, 0.5))
    touch("touchMove", (0.3, 0.5), (0.7, 0.5))
    touch("touchMove", (0.2, 0.5), (0.8, 0.5))
    touch("touchEnd")
    settle(page)
    assert int(page.locator("#zoom").inner_text().split()[0]) > 2 * fitted
    assert int(page.locator("#divider").input_value()) > 85  # fingers that pinch leave it alone
    shot(page, "phone")
    for control in page.locator("button:visible, .button:visible").all():
        size = control.bounding_box()
        assert size is not None
        assert min(size["width"], size["height"]) >= 40, control.inner_text()
    page.context.close()


def test_by_keyboard_alone(page):
    # Expected from the start: the browser is told to hand over its dialog without an answer, and a
    # key pressed right after that can be faster.
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        assert page.evaluate("() => document.activeElement.id") == "files"
        page.keyboard.press("Space")
    chooser.value.set_files({"name": "a.png", "mimeType": "image/png", "buffer": PLAIN})
    wait_state(page, "done")
    reached = []
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("() => document.activeElement.id || document.activeElement.className")
        )
    assert {"divider", "zoom-in", "strength", "download", "choose", "remove"} <= set(reached)


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_accessible_to_everybody(browser, url, scheme):
    page = open_page(browser, url, color_scheme=scheme)
    expect(page.locator("#taken")).to_contain_text("JPEG")
    found = [Axe().run(page)]
    shot(page, f"welcome-{scheme}")
    hand_over(page, "drop", ("street.png", PLAIN), ("notes.txt", b"not a photo"))
    wait_state(page, "failed", row=2)
    wait_state(page, "done")
    found.append(Axe().run(page))
    page.get_by_role("button", name=re.compile("^notes.txt")).click()
    settle(page)
    found.append(Axe().run(page))
    assert [one.generate_report() for one in found if one.violations_count] == []
    page.context.close()


def test_a_token_is_asked_for_and_used(browser, remover):
    settings = ServiceSettings(token="sesame")
    with live(create_app(restorer(remover), settings=settings, model=MODEL)) as (host, port):
        page = open_page(browser, f"http://{host}:{port}/")
        hand_over(page, "drop", ("street.png", PLAIN))
        page.get_by_label("access token").fill("sesame")
        page.get_by_role("button", name="Use it").click()
        wait_state(page, "done")
        expect(page.get_by_label("access token")).to_be_hidden()
        page.context.close()
