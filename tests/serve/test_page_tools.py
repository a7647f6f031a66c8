"""Strength, brush, zip and honest words on the page, in a real browser."""

import io
import zipfile

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Page, expect

from semilar import photo
from semilar.serve.app import create_app
from semilar.serve.found import FoundFlare
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
from tests.serve.fakes import MODEL, pixels
from tests.serve.live import live
from tests.support.pictures import camera_exif, file_bytes

pytestmark = pytest.mark.browser

GREEN = file_bytes(Image.new("RGB", (300, 200), (60, 180, 90)), "PNG")


def drop(page: Page, *files: tuple[str, bytes]) -> None:
    hand_over(page, "drop", *files)
    for row in range(1, len(files) + 1):
        wait_state(page, "done", row=row)


def choose(page: Page, row: int) -> None:
    page.locator("#photos .choose").nth(row - 1).click()
    settle(page)


def place(page: Page, x: float, y: float) -> tuple[float, float]:
    box = page.locator("#stage").bounding_box()
    assert box is not None
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def paint(page: Page, *points: tuple[float, float]) -> None:
    """A stroke through shares of the stage."""
    page.mouse.move(*place(page, *points[0]))
    page.mouse.down()
    for point in points:
        page.mouse.move(*place(page, *point), steps=4)
    page.mouse.up()
    settle(page)


def result(page: Page) -> None:
    """The whole result on the stage, no veil and no boundary."""
    if page.locator("#brush").get_attribute("aria-pressed") == "true":
        page.locator("#brush").click()
    page.get_by_text("Result", exact=True).click()
    settle(page)


# --- one zip


def test_all_photos_come_in_one_zip(page, remover):
    drop(page, ("été.png", PLAIN), ("a.png", PLAIN), ("a.png", GREEN))
    page.get_by_label("Strength").fill("60")
    name, content = saved(page, page.get_by_role("button", name="Download all").click)
    assert name == "semilar-photos.zip"
    expect(page.locator("#status")).to_have_text("Saved 3 of 3 photos in semilar-photos.zip")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["été.png", "a.png", "a (2).png"]
        for one, given in zip(archive.namelist(), (PLAIN, PLAIN, GREEN), strict=True):
            assert archive.read(one) == photo.encode(restored(remover, given, 0.6).image)
        assert abs(archive.infolist()[0].date_time[0] - 2026) < 100


def test_the_removed_flare_in_one_zip(page, remover):
    drop(page, ("a.png", PLAIN), ("b.png", GREEN))
    page.get_by_text("Removed flare", exact=True).click()
    name, content = saved(page, page.get_by_role("button", name="Download all").click)
    assert name == "semilar-flare.zip"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["a.flare.png", "b.flare.png"]
        assert archive.read("b.flare.png") == photo.encode(restored(remover, GREEN).flare)


def test_what_is_not_in_the_zip_is_said(page):
    drop(page, ("a.png", PLAIN), ("b.png", GREEN))
    page.get_by_label("Strength").fill("50")
    refusals = ['{"title": "No", "status": 422, "detail": "It rains."}']

    def once(route):
        if refusals:
            route.fulfill(status=422, body=refusals.pop())
        else:
            route.continue_()

    page.route("**/v1/remove", once)
    _, content = saved(page, page.get_by_role("button", name="Download all").click)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["b.png"]
    expect(page.get_by_role("alert")).to_have_text("Not in the zip: a.png: It rains.")
    expect(page.locator("#status")).to_contain_text("Saved 1 of 2 photos")


# --- strength


def test_one_strength_for_all_or_each_its_own(page):
    strength, same = page.get_by_label("Strength"), page.get_by_label("Same for all photos")
    drop(page, ("a.png", PLAIN))
    expect(same).to_be_hidden()
    hand_over(page, "drop", ("b.png", PLAIN))
    wait_state(page, "done", row=2)
    expect(same).to_be_checked()
    strength.fill("40")
    choose(page, 2)
    expect(strength).to_have_value("40")
    hand_over(page, "drop", ("late.png", PLAIN))
    wait_state(page, "done", row=3)
    choose(page, 3)
    expect(strength).to_have_value("40")

    same.uncheck()
    strength.fill("80")
    choose(page, 1)
    expect(strength).to_have_value("40")
    choose(page, 3)
    expect(strength).to_have_value("80")
    same.check()
    choose(page, 1)
    expect(strength).to_have_value("80")


def test_strength_up_to_200(page, remover):
    drop(page, ("street.png", PLAIN))
    strength, hint = page.get_by_label("Strength"), page.get_by_text("more is taken than was found")
    expect(hint).to_be_hidden()
    strength.focus()
    page.keyboard.press("End")
    expect(page.locator("#strength-value")).to_have_text("200 %")
    expect(hint).to_be_visible()
    result(page)
    strength.fill("120")
    settle(page)
    more = restored(remover, PLAIN, 1.2).image.pixels[0, 0]
    assert more.min() > 0  # not yet black
    assert close_to(colour(page, 0.5), more, by=2)
    strength.fill("200")
    settle(page)
    twice = restored(remover, PLAIN, 2.0)
    assert close_to(colour(page, 0.5), twice.image.pixels[0, 0], by=2)
    assert saved(page, page.locator("#download").click)[1] == photo.encode(twice.image)
    page.get_by_text("Removed flare", exact=True).click()
    settle(page)
    assert close_to(colour(page, 0.5), twice.flare.pixels[0, 0], by=2)


# --- honest words


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("none", "No flare found; the photo is unchanged"),
        ("weak", "Little flare was found; hardly a difference"),
        ("strong", "Flare removed"),
    ],
)
def test_little_is_not_called_removed(browser, word, says):
    app = create_app(
        lambda given, asked: (given, FoundFlare(word, 0.0004)),
        settings=ServiceSettings(),
        model=MODEL,
    )
    with live(app) as (host, port):
        page = open_page(browser, f"http://{host}:{port}/")
        drop(page, ("street.png", PLAIN))
        expect(page.locator("#status")).to_have_text(says)
        expect(page.locator("#photos .note")).to_have_text(says)
        page.context.close()


# --- the brush


def test_what_is_painted_over_is_protected(page, remover):
    drop(page, ("street.png", PLAIN))
    page.get_by_role("button", name="Brush").click()
    page.get_by_label("Brush size").fill("120")
    paint(page, (0.25, 0.3), (0.25, 0.7))
    veiled = colour(page, 0.25, 0.4)
    assert not close_to(veiled, CODE, by=10)  # what is protected shows
    shot(page, "brush")
    result(page)
    after = restored(remover, PLAIN).image.pixels[0, 0]
    assert close_to(colour(page, 0.25), CODE)
    assert close_to(colour(page, 0.75), after)
    expect(page.locator("#photos .note")).to_have_text("Masked. Flare removed")

    made = pixels(saved(page, page.locator("#download").click)[1])
    assert close_to(made[100, 75], CODE)
    assert close_to(made[100, 225], after)


def test_flare_goes_only_where_that_was_painted(page, remover):
    drop(page, ("street.png", PLAIN))
    page.get_by_role("button", name="Brush").click()
    page.get_by_text("Remove here").click()
    expect(page.get_by_text("Flare is removed only where you paint.")).to_be_visible()
    page.get_by_label("Brush size").fill("120")
    paint(page, (0.25, 0.3), (0.25, 0.7))
    page.get_by_text("Protect", exact=True).click()
    paint(page, (0.25, 0.3))  # taken back at one end
    result(page)
    after = restored(remover, PLAIN).image.pixels[0, 0]
    seen = [
        close_to(colour(page, x, y), after) for x, y in ((0.25, 0.65), (0.25, 0.3), (0.75, 0.5))
    ]
    assert seen == [True, False, False]
    made = pixels(saved(page, page.locator("#download").click)[1])
    assert close_to(made[130, 75], after)
    assert close_to(made[100, 225], CODE)


def test_a_mask_lies_where_it_was_painted_on_a_turned_photo(page, remover):
    picture = Image.new("RGB", (200, 300), CODE)
    turned = file_bytes(picture.rotate(90, expand=True), "JPEG", quality=100, exif=camera_exif(6))
    assert photo.read(turned).pixels.shape[:2] == (300, 200)
    drop(page, ("turned.jpg", turned))
    page.get_by_role("button", name="Brush").click()
    page.get_by_label("Brush size").fill("200")
    paint(page, (0.3, 0.15), (0.7, 0.15))  # the top of the upright photo
    made = photo.read(saved(page, page.locator("#download").click)[1]).pixels
    after = restored(remover, turned).image.pixels[250, 100]
    assert close_to(made[30, 100], CODE, by=3)
    assert close_to(made[250, 100], after, by=3)


def test_strokes_can_be_taken_back(page):
    drop(page, ("street.png", PLAIN))
    page.get_by_role("button", name="Brush").click()
    undo, clear = (page.get_by_role("button", name=one) for one in ("Undo", "Clear"))
    expect(undo).to_be_disabled()
    for x in (0.2, 0.5, 0.8):
        paint(page, (x, 0.5))

    def protected() -> list[bool]:
        return [not close_to(colour(page, x), colour(page, 0.35), by=8) for x in (0.2, 0.5, 0.8)]

    assert protected() == [True, True, True]
    undo.click()
    page.mouse.move(0, 0)
    settle(page)
    assert protected() == [True, True, False]
    page.keyboard.press("Control+z")
    settle(page)
    assert protected() == [True, False, False]
    clear.click()
    settle(page)
    assert protected() == [False, False, False]
    expect(clear).to_be_disabled()
    expect(page.locator("#photos .note")).to_have_text("Flare removed")


def test_each_photo_has_its_own_mask(page):
    drop(page, ("a.png", PLAIN), ("b.png", PLAIN))
    page.get_by_role("button", name="Brush").click()
    paint(page, (0.5, 0.5))
    choose(page, 2)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    choose(page, 1)
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    _, content = saved(page, page.get_by_role("button", name="Download all").click)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        first, second = (pixels(archive.read(one)) for one in ("a.png", "b.png"))
    assert close_to(first[100, 150], CODE)
    assert not close_to(second[100, 150], CODE, by=10)


def test_comparing_puts_the_brush_away(page):
    drop(page, ("street.png", PLAIN))
    brush = page.get_by_role("button", name="Brush")
    brush.click()
    expect(page.get_by_label("Result")).to_be_checked()
    page.get_by_text("Compare", exact=True).click()
    expect(brush).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#brush-tools")).to_be_hidden()
    settle(page)
    assert close_to(colour(page, 0.2), CODE)


def test_the_brush_by_touch(browser, url, remover):
    phone = {"viewport": {"width": 375, "height": 700}, "has_touch": True, "is_mobile": True}
    page = open_page(browser, url, **phone)
    drop(page, ("a.png", PLAIN))
    page.get_by_role("button", name="Brush").tap()
    assert page.evaluate("() => document.documentElement.scrollWidth") == 375
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [dict(zip("xy", place(page, *point), strict=True)) for point in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    undo = page.get_by_role("button", name="Undo")
    touch("touchStart", (0.4, 0.5))
    touch("touchStart", (0.4, 0.5), (0.6, 0.5))
    touch("touchMove", (0.3, 0.5), (0.7, 0.5))
    touch("touchEnd")
    expect(undo).to_be_disabled()  # two fingers zoom, they do not paint
    page.get_by_role("button", name="Fit").tap()
    touch("touchStart", (0.2, 0.5))
    touch("touchMove", (0.3, 0.5))
    touch("touchEnd")
    expect(undo).to_be_enabled()
    result(page)
    assert close_to(colour(page, 0.25), CODE)
    assert close_to(colour(page, 0.75), restored(remover, PLAIN).image.pixels[0, 0])
    for control in page.locator("button:visible, .choice label:visible").all():
        size = control.bounding_box()
        assert size is not None
        assert min(size["width"], size["height"]) >= 38, control.inner_text()
    page.context.close()


def test_the_brush_by_keyboard_alone(page, remover):
    drop(page, ("street.png", PLAIN))

    def tab_to(name: str) -> None:
        for _ in range(30):
            page.keyboard.press("Tab")
            at = "() => document.activeElement.id || document.activeElement.value"
            if page.evaluate(at) == name:
                return
        raise AssertionError(f"{name} cannot be reached with Tab")

    tab_to("brush")
    page.keyboard.press("Enter")
    tab_to("brush-size")
    page.keyboard.press("Home")
    for _ in range(18):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Brush size")).to_have_value("80")
    tab_to("pad")
    for _ in range(8):
        page.keyboard.press("ArrowLeft")  # moves, paints nothing
    expect(page.locator("#brush-undo")).to_be_disabled()
    page.keyboard.press("Space")
    expect(page.locator("#status")).to_have_text("The brush is down; arrow keys paint")
    for _ in range(6):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    expect(page.locator("#status")).to_have_text("The brush is lifted")
    shot(page, "brush-keys")
    made = pixels(saved(page, page.locator("#download").click)[1])
    kept = np.abs(made.astype(int) - CODE).max(axis=2) <= 1
    assert kept[100, 95]
    assert kept[70, 95]
    assert not kept[:, 150:].any()
    assert not kept[150:].any()

    tab_to("brush-undo")
    page.keyboard.press("Enter")
    expect(page.locator("#brush-undo")).to_be_disabled()


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_tools_are_accessible_to_everybody(browser, url, scheme):
    page = open_page(browser, url, color_scheme=scheme)
    drop(page, ("a.png", PLAIN), ("b.png", PLAIN))
    page.get_by_label("Strength").fill("150")
    page.get_by_role("button", name="Brush").click()
    found = [Axe().run(page)]
    paint(page, (0.3, 0.3), (0.6, 0.6))
    page.get_by_text("Remove here").click()
    page.get_by_text("Keys", exact=True).click()
    found.append(Axe().run(page))
    shot(page, f"tools-{scheme}")
    assert [one.generate_report() for one in found if one.violations_count] == []
    page.context.close()
