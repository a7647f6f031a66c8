"""How much was found, in a word and a number, and masks."""

import asyncio

import httpx
import numpy as np
import pytest
from PIL import Image

from semilar import photo
from semilar.restore.found import WEAK_BELOW
from semilar.serve.app import create_app
from semilar.serve.found import found
from semilar.serve.restorer import restorer
from semilar.serve.settings import ServiceSettings
from tests.serve.fakes import MODEL, app_with, client_of, jpeg, pixels
from tests.support.pictures import file_bytes, smooth_picture

PNG = file_bytes(Image.fromarray(smooth_picture(60, 80)), "PNG")


@pytest.fixture(scope="module")
def real(remover):
    return create_app(restorer(remover), settings=ServiceSettings(), model=MODEL)


def post(app, mask: bytes | None = None, content: bytes = PNG, **options) -> httpx.Response:
    files = {"photo": ("a.png", content)} | ({"mask": ("m.png", mask)} if mask else {})

    async def once() -> httpx.Response:
        async with client_of(app) as client:
            return await client.post("/v1/remove", files=files, data=options)

    return asyncio.run(once())


def linear(codes: np.ndarray) -> np.ndarray:
    x = codes / 255
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("size", [(30, 40), (1500, 1400)])
def test_the_number_is_the_mean_light_that_went(dtype, size):
    most = np.iinfo(dtype).max
    before = np.full((*size, 3), most * 0.8).astype(dtype)
    after = before.copy()
    after[: size[0] // 2] = most * 0.4
    expected = (linear(np.array(0.8 * 255)) - linear(np.array(0.4 * 255))) / 2
    assert found(before, after, strength=1).light == pytest.approx(expected, rel=0.02)
    assert found(before, after, strength=0.5).light == pytest.approx(2 * expected, rel=0.02)


def test_little_is_called_little():
    before = np.full((100, 100, 3), 60, np.uint8)
    assert found(before, before, strength=1).word == "none"
    after = before.copy()
    after[:5, :5] = 55
    told = found(before, after, strength=1)
    assert 0 < told.light < WEAK_BELOW
    assert told.word == "weak"
    after[:50] = 40
    assert found(before, after, strength=1).word == "strong"


@pytest.mark.parametrize("strength", ["0", "0.4", "1"])
def test_what_was_found_does_not_depend_on_the_strength(real, strength):
    full, part = post(real).headers, post(real, strength=strength).headers
    assert part["semilar-flare-found"] == "strong"
    light = float(part["semilar-flare-light"])
    assert light == pytest.approx(float(full["semilar-flare-light"]), rel=0.05)
    taken = linear(pixels(PNG)) - linear(pixels(post(real).content))
    assert float(full["semilar-flare-light"]) == pytest.approx(taken.mean(), rel=0.02)


def test_strength_0_takes_nothing(real):
    assert np.array_equal(pixels(post(real, strength="0").content), pixels(PNG))
    assert not pixels(post(real, strength="0", layer="flare").content).any()


def test_past_full_strength_more_goes_down_to_black(real):
    before, once, twice = (
        linear(pixels(one)) for one in (PNG, post(real).content, post(real, strength="2").content)
    )
    assert np.abs(twice - np.maximum(0, 2 * once - before)).max() < 0.02


def test_a_mask_says_where(real):
    half = np.zeros((30, 40), np.uint8)  # half the photo's size, the same shape
    half[:, 20:] = 255
    mask = file_bytes(Image.fromarray(half), "PNG")
    before, masked, full = (
        pixels(one) for one in (PNG, post(real, mask).content, post(real).content)
    )
    assert np.array_equal(masked[:, :38], before[:, :38])
    assert np.array_equal(masked[:, 42:], full[:, 42:])
    assert not np.array_equal(before[:, 42:], full[:, 42:])


def test_a_mask_is_for_the_upright_photo(real):
    turned = jpeg(48, 64)  # its EXIF says how to turn it
    size = photo.read(turned).pixels.shape[:2]
    nothing = file_bytes(Image.new("L", (size[1], size[0])), "PNG")
    answer = post(real, nothing, content=turned)
    assert answer.status_code == 200
    assert answer.headers["semilar-flare-found"] == "none"


@pytest.mark.parametrize(
    ("mask", "says"),
    [
        (b"no picture", "mask: is not a picture"),
        (file_bytes(Image.new("L", (50, 500)), "PNG"), "has another shape"),
    ],
)
def test_a_mask_that_does_not_fit_is_explained(real, mask, says):
    answer = post(real, mask)
    assert answer.status_code == 422
    assert says in answer.json()["detail"]


def test_png_masks_are_taken_where_png_photos_are_not():
    app = app_with(formats=("JPEG",))
    white = file_bytes(Image.new("L", (64, 48), 255), "PNG")
    assert post(app, white, content=jpeg(48, 64)).status_code == 200
    assert post(app, white, content=PNG).status_code == 415
    tiff = file_bytes(Image.new("L", (64, 48), 255), "TIFF")
    assert post(app, tiff, content=jpeg(48, 64)).status_code == 415


def test_two_photos_in_one_form_are_one_too_many():
    async def once() -> httpx.Response:
        async with client_of(app_with()) as client:
            both = [("photo", ("a.png", PNG)), ("photo", ("b.png", PNG))]
            return await client.post("/v1/remove", files=both)

    answer = asyncio.run(once())
    assert answer.status_code == 400
    assert "two files called 'photo'" in answer.json()["detail"]
