"""What comes back: the picture, its name, its metadata, what the headers say."""

import asyncio
import io
from http import HTTPStatus

import httpx
import numpy as np
import pytest
from PIL import Image

from semilar import photo
from semilar.restore import Found
from semilar.serve.app import create_app
from semilar.serve.found import FoundFlare
from semilar.serve.restorer import restorer
from semilar.serve.settings import ServiceSettings
from tests.serve.fakes import MODEL, app_with, client_of, jpeg, pixels
from tests.support.pictures import file_bytes, noise16, smooth_picture


def post(app=None, **request) -> httpx.Response:
    async def ask() -> httpx.Response:
        async with client_of(app or app_with()) as client:
            return await client.post("/v1/remove", **request)

    return asyncio.run(ask())


@pytest.fixture(scope="module")
def real(remover):
    return create_app(restorer(remover), settings=ServiceSettings(), model=MODEL)


def test_form_and_raw_body_give_the_same_picture(real):
    form = post(real, files={"photo": ("street.jpg", jpeg())}, data={"strength": "0.5"})
    raw = post(
        real,
        content=jpeg(),
        headers={"Content-Type": "image/jpeg"},
        params={"strength": 0.5, "name": "street.jpg"},
    )
    assert form.status_code == raw.status_code == HTTPStatus.OK
    assert form.content == raw.content
    assert form.headers["content-disposition"] == raw.headers["content-disposition"]


@pytest.mark.parametrize("strength", [0.0, 0.3, 1.0, 1.7])
def test_the_bytes_are_those_of_the_python_session(real, remover, strength):
    content = jpeg(120, 160)
    answer = post(real, files={"photo": ("a.jpg", content)}, data={"strength": str(strength)})
    result = remover.remove(photo.read(content), strength=strength)
    assert answer.content == photo.encode(result.image)
    assert answer.headers["semilar-flare-found"] == "strong"


def test_metadata_stays(real):
    answer = post(real, content=jpeg())
    before, after = (Image.open(io.BytesIO(one)) for one in (jpeg(), answer.content))
    assert dict(after.getexif()) == dict(before.getexif())
    assert after.getexif().get_ifd(0x8769)[0x9003] == "2024:11:02 21:14:07"
    assert after.size == before.size


def test_sixteen_bits_stay_sixteen(real):
    content = photo.encode(photo.Photo(pixels=noise16()))
    answer = post(real, content=content, headers={"Content-Type": "image/png"})
    assert answer.headers["content-type"] == "image/png"
    assert photo.read(answer.content).depth == 16


def test_the_flare_layer_is_the_light_that_went(real):
    content = file_bytes(Image.fromarray(smooth_picture(60, 80)), "PNG")
    scene = pixels(post(real, content=content).content) / 255
    flare = pixels(post(real, content=content, params={"layer": "flare"}).content) / 255
    before = pixels(content) / 255
    taken = before**2.2 - scene**2.2  # near enough to the sRGB curve for a comparison
    assert np.abs(flare**2.2 - taken).max() < 0.02


def test_compare_stands_side_by_side(real):
    content = file_bytes(Image.fromarray(smooth_picture(60, 80)), "PNG")
    both = pixels(post(real, content=content, params={"layer": "compare"}).content)
    scene = pixels(post(real, content=content).content)
    assert np.array_equal(both, np.hstack([pixels(content), scene]))


@pytest.mark.parametrize(
    ("wanted", "kind", "media"),
    [
        ("jpeg", "JPEG", "image/jpeg"),
        ("webp", "WEBP", "image/webp"),
        ("tiff", "TIFF", "image/tiff"),
    ],
)
def test_another_format(wanted, kind, media):
    answer = post(files={"photo": ("night.png", jpeg())}, data={"format": wanted})
    assert answer.headers["content-type"] == media
    assert Image.open(io.BytesIO(answer.content)).format == kind


def test_quality_makes_files_smaller():
    sizes = [len(post(content=jpeg(200, 300), params={"quality": q}).content) for q in (95, 20)]
    assert sizes[1] < sizes[0] / 2


def test_no_flare_means_the_same_bytes():
    def nothing(shot, asked):
        return shot, FoundFlare(Found.NONE, 0.0)

    content = jpeg()
    answer = post(app_with(nothing), content=content)
    assert answer.content == content
    assert answer.headers["semilar-flare-found"] == "none"


def test_timing_is_told_for_each_step():
    timing = post(content=jpeg()).headers["server-timing"]
    steps = {part.partition(";dur=")[0].strip(): part for part in timing.split(",")}
    assert set(steps) == {"read", "remove", "write", "queue"}
    assert all(float(part.partition(";dur=")[2]) >= 0 for part in steps.values())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("street.jpg", "street.jpg"),
        ("../../etc/passwd.jpg", "passwd.jpg"),
        ("C:\\photos\\night.JPG", "night.JPG"),
        ("nuit étoilée.jpg", "nuit%20%C3%A9toil%C3%A9e.jpg"),
        ("", "photo.jpg"),
        ("a\r\nSet-Cookie: x=1.jpg", "aSet-Cookie%3A%20x%3D1.jpg"),
    ],
)
def test_the_name_comes_back_harmless(name, expected):
    answer = post(content=jpeg(), params={"name": name})
    assert answer.headers["content-disposition"].endswith(f"filename*=UTF-8''{expected}")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("request_parts", "status", "says"),
    [
        ({"content": b""}, 422, "empty"),
        ({"content": b"hello"}, 422, "not a picture in a known format"),
        ({"content": jpeg()[:300]}, 422, "damaged JPEG"),
        ({"content": jpeg(), "params": {"strength": 2.5}}, 422, "strength"),
        ({"content": jpeg(), "params": {"strength": "nan"}}, 422, "strength"),
        ({"content": jpeg(), "params": {"layer": "sky"}}, 422, "layer"),
        ({"content": jpeg(), "params": {"quality": 0}}, 422, "quality"),
        ({"content": jpeg(), "params": {"colour": "red"}}, 422, "colour"),
        ({"files": {"photo": ("a.jpg", jpeg())}, "data": {"format": "exe"}}, 422, "format"),
        ({"files": {"picture": ("a.jpg", jpeg())}}, 400, "'photo'"),
        ({"data": {"strength": "1"}}, 415, "application/x-www-form-urlencoded"),
        ({"json": {"url": "http://example.org/a.jpg"}}, 415, "application/json"),
        (
            {"content": b"x", "headers": {"Content-Type": "multipart/form-data"}},
            400,
            "boundary",
        ),
        (
            {"content": b"rubbish", "headers": {"Content-Type": "multipart/form-data; boundary=a"}},
            400,
            "form cannot be read",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(request_parts, status, says):
    answer = post(**request_parts)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == status
    assert says in problem["detail"]
    assert problem["detail"].endswith(".")


def test_a_fault_inside_is_a_problem_without_details():
    def broken(shot, asked):
        raise ZeroDivisionError("secret")

    answer = post(app_with(broken), content=jpeg())
    assert answer.status_code == HTTPStatus.INTERNAL_SERVER_ERROR
    assert answer.headers["content-type"] == "application/problem+json"
    assert "secret" not in answer.text
