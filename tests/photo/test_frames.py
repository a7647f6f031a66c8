"""Files of several pictures: refused unless the first is asked for, and conversions are said."""

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pillow_heif
import pytest
import tifffile
from PIL import Image, ImageFile

from semilar import photo
from semilar.errors import SeveralPicturesError
from semilar.photo import PhotoError
from semilar.photo.notes import changes
from tests.support.pictures import file_bytes, noise16, smooth_picture

pillow_heif.register_heif_opener()  # so that Pillow can write what is to be read

PAGE = Image.fromarray(smooth_picture())
OTHERS = [Image.fromarray(smooth_picture(seed=seed)) for seed in (1, 2)]


def several(kind: str, **options: Any) -> bytes:
    return file_bytes(PAGE, kind, save_all=True, append_images=OTHERS, **options)


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("WEBP", "frames"),
        ("PNG", "frames"),
        ("AVIF", "frames"),
        ("HEIF", "frames"),
        ("TIFF", "pages"),
    ],
)
def test_several_pictures_are_refused_unless_the_first_is_asked_for(kind: str, word: str) -> None:
    content = several(kind, **({"lossless": True} if kind == "WEBP" else {}))
    with pytest.raises(SeveralPicturesError, match=rf"^it\.x: holds 3 {word}"):
        photo.read(content, name="it.x")
    shot = photo.read(content, name="it.x", first_frame=True)
    assert f"it.x: holds 3 {word}; only the first is used." in shot.notes
    if kind not in ("AVIF", "HEIF"):
        assert np.array_equal(shot.pixels, np.asarray(PAGE))
    with Image.open(io.BytesIO(photo.encode(shot))) as written:
        assert getattr(written, "n_frames", 1) == 1  # what the note says is what is written


def test_pages_of_floats_are_counted_too() -> None:
    stream = io.BytesIO()
    tifffile.imwrite(stream, np.zeros((4, 20, 30), np.float32), photometric="minisblack")
    with pytest.raises(PhotoError, match="holds 4 pages"):
        photo.read(stream.getvalue())


def test_a_smaller_copy_is_no_page() -> None:
    stream = io.BytesIO()
    with tifffile.TiffWriter(stream) as file:
        file.write(smooth_picture(), photometric="rgb")
        file.write(smooth_picture()[::4, ::4].copy(), photometric="rgb", subfiletype=1)
    shot = photo.read(stream.getvalue())
    assert shot.notes == ()
    assert photo.encode(shot) == stream.getvalue()


def test_one_frame_is_a_plain_photo() -> None:
    content = file_bytes(PAGE, "PNG", save_all=True)
    assert photo.encode(photo.read(content)) == content


def mpo(kind: int) -> bytes:
    """A JPEG with two more pictures, whose index says that they are of this kind."""
    content = bytearray(file_bytes(PAGE, "MPO", save_all=True, append_images=OTHERS))
    index = content.index(b"MPF\0") + 4
    order = {b"II": "<", b"MM": ">"}[bytes(content[index : index + 2])]
    with Image.open(io.BytesIO(content)) as opened:
        assert opened.n_frames == 3  # pyright: ignore[reportAttributeAccessIssue]
        raw = opened.mpinfo[0xB002]  # pyright: ignore[reportAttributeAccessIssue]
    for number, entry in enumerate(raw):
        at = content.index(struct.pack(f"{order}II", entry["Size"], entry["DataOffset"]), index)
        struct.pack_into(f"{order}I", content, at - 4, kind if number else 0x030000)
    return bytes(content)


def test_previews_of_a_camera_are_passed_over() -> None:
    content = mpo(0x010002)
    shot = photo.read(content)
    assert shot.notes == ()
    assert photo.encode(shot) == content


def test_the_other_views_of_a_stereo_photo_are_said() -> None:
    assert photo.read(mpo(0x020002), name="a.jpg").notes == (
        "a.jpg: holds 2 views; its restored copy has one.",
    )


def test_a_gain_map_is_said() -> None:
    content = mpo(0).replace(b"\xff\xd9", b'\xff\xd9<x hdrgm:Version="1.0"/>', 1)
    (note,) = photo.read(content).notes
    assert "gain map" in note


@pytest.mark.parametrize(
    ("mode", "kind", "word"),
    [
        ("CMYK", "JPEG", "is CMYK; its restored copy is RGB"),
        ("CMYK", "TIFF", "is CMYK; its restored copy is RGB"),
        ("P", "PNG", "has a palette; its restored copy is RGB"),
        ("1", "PNG", "its restored copy is grey"),
        ("LAB", "TIFF", "its restored copy is RGB"),
    ],
)
def test_conversions_are_said(mode: str, kind: str, word: str) -> None:
    image = Image.fromarray(smooth_picture())
    if mode == "LAB":
        image = Image.frombytes("LAB", image.size, image.tobytes())
    content = file_bytes(image.convert(mode) if mode != "LAB" else image, kind)
    shot = photo.read(content, name="a.x")
    (note,) = shot.notes
    assert note == f"a.x: {note[5:-1]}."
    assert word in note
    with Image.open(io.BytesIO(photo.encode(shot.with_pixels(255 - shot.pixels)))) as other:
        assert other.mode == ("L" if mode == "1" else "RGB")
    assert photo.encode(shot) == content


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_what_comes_back_as_it_was_is_not_worth_a_note(mode: str, kind: str) -> None:
    shot = photo.read(file_bytes(Image.fromarray(smooth_picture()).convert(mode), kind))
    assert shot.notes == ()
    with Image.open(io.BytesIO(photo.encode(shot.with_pixels(255 - shot.pixels)))) as other:
        assert other.mode == mode


def test_ten_bits_that_become_eight_are_said() -> None:
    deep = pillow_heif.from_bytes(mode="RGB;16", size=(53, 37), data=noise16().tobytes())
    stream = io.BytesIO()
    deep.save(stream, quality=90)
    (note,) = photo.read(stream.getvalue(), name="a.heic").notes
    assert note == "a.heic: has 10 bits per channel; its restored copy has 8."


def test_ten_bits_of_avif_are_said() -> None:
    """Pillow writes 8 bits only, so the bit that says more is set by hand."""
    content = file_bytes(PAGE, "AVIF")
    assert photo.read(content).notes == ()
    deep = bytearray(content)
    deep[deep.index(b"av1C") + 6] |= 0x40
    with pytest.raises(PhotoError, match="damaged"):  # the decoder sees the contradiction
        photo.read(bytes(deep))
    with Image.open(io.BytesIO(content)) as image:
        assert isinstance(image, ImageFile.ImageFile)
        (note,) = changes(image, "AVIF", "a.avif", bytes(deep), deep=False)
    assert note == "a.avif: has 10 bits per channel; its restored copy has 8."


def test_what_another_format_cannot_hold_is_said() -> None:
    alpha = np.full((37, 53), 9, np.uint16)
    shot = photo.Photo(pixels=noise16(), alpha=alpha)
    assert photo.losses(shot, Path("a.tif")) == ()
    assert photo.losses(shot, Path("a.jpg")) == (
        "a.jpg: JPEG has no transparency; it is left out.",
        "a.jpg: JPEG holds 8 bits per channel at most.",
    )
