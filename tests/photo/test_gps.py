"""Taking the place out, and nothing else; Pillow, tifffile and an XML parser look."""

import io
import struct
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pillow_heif
import pytest
import tifffile
from PIL import Image, PngImagePlugin

from semilar import photo
from semilar.photo.gps import exif_without_gps
from tests.support.pictures import camera_exif, file_bytes, smooth_picture, srgb_profile

pillow_heif.register_heif_opener()

LATITUDE = struct.pack(">6I", 52, 1, 31, 1, 12, 1)  # as fractions
XMP = b"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:exif="http://ns.adobe.com/exif/1.0/"
 xmlns:xmp="http://ns.adobe.com/xap/1.0/"><rdf:Description xmp:Rating="4"
 exif:GPSLatitude="52,31.2N" exif:GPSLongitude='13,24.1E' exif:ColorSpace="1">
<exif:GPSTimeStamp>2024-11-02</exif:GPSTimeStamp><exif:Flash>0</exif:Flash></rdf:Description>
</rdf:RDF></x:xmpmeta>"""
EXIF_NS = "{http://ns.adobe.com/exif/1.0/}"


def shot_of(kind: str, *, orientation: int = 1) -> bytes:
    """A photo with GPS; a JPEG has Huffman tables of its own, which a new encoding would lose."""
    return file_bytes(
        Image.fromarray(smooth_picture()),
        kind,
        exif=camera_exif(orientation),
        icc_profile=srgb_profile(),
        quality=90,
        optimize=True,
        **({} if kind in ("TIFF", "PNG") else {"xmp": XMP}),
    )


def check_stripped(content: bytes) -> None:
    """No GPS; the rest of EXIF, the profile and the rest of XMP are there."""
    for trace in (LATITUDE, struct.pack("<6I", 52, 1, 31, 1, 12, 1), b"52,31", b"GPS"):
        assert trace not in content
    with Image.open(io.BytesIO(content)) as other:
        exif = other.getexif()
        assert not exif.get_ifd(0x8825)
        assert 0x8825 not in exif
        assert exif[0x0110] == "Night Phone 3"
        assert exif.get_ifd(0x8769)[0x9003] == "2024:11:02 21:14:07"
        assert exif.get_ifd(0x8769)[0x927C] == b"maker\0note"
        assert other.info["icc_profile"] == srgb_profile()
        xmp = other.info.get("xmp")
    if xmp:
        check_xmp(xmp)


def check_xmp(xmp: bytes) -> None:
    (description,) = ElementTree.fromstring(xmp).iter(
        "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}Description"
    )
    assert {key.rpartition("}")[2] for key in description.attrib} == {"Rating", "ColorSpace"}
    assert [child.tag for child in description] == [f"{EXIF_NS}Flash"]


@pytest.mark.parametrize("kind", ["JPEG", "WEBP", "AVIF", "HEIF", "PNG", "TIFF"])
def test_gps_goes_and_the_rest_stays(kind: str) -> None:
    content = shot_of(kind)
    with Image.open(io.BytesIO(content)) as before:
        assert before.getexif().get_ifd(0x8825)[1] == "N"
    shot = photo.read(content, strip_gps=True)
    assert np.array_equal(shot.pixels, photo.read(content).pixels)
    check_stripped(photo.encode(shot.with_pixels(255 - shot.pixels)))


@pytest.mark.parametrize("kind", ["JPEG", "WEBP", "AVIF", "HEIF", "PNG", "TIFF"])
def test_an_untouched_photo_keeps_its_pixels_but_not_the_place(kind: str) -> None:
    content = shot_of(kind)
    written = photo.encode(photo.read(content, strip_gps=True))
    check_stripped(written)
    with Image.open(io.BytesIO(content)) as before, Image.open(io.BytesIO(written)) as after:
        assert np.array_equal(np.asarray(before), np.asarray(after))
    if kind != "PNG":  # its checksums move; the others are the same file but for the place
        assert len(written) == len(content)
        assert sum(a != b for a, b in zip(written, content, strict=True)) < 400


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP"])
def test_a_photo_without_gps_stays_the_same_file(kind: str) -> None:
    content = file_bytes(Image.fromarray(smooth_picture()), kind, icc_profile=srgb_profile())
    assert photo.encode(photo.read(content, strip_gps=True)) == content


def test_a_turned_photo_comes_out_upright() -> None:
    shot = photo.read(shot_of("JPEG", orientation=6), strip_gps=True)
    written = photo.encode(shot)
    check_stripped(written)
    with Image.open(io.BytesIO(written)) as other:
        assert other.getexif()[0x0112] == 1
        assert other.size == (48, 64)


def test_further_pictures_of_a_jpeg_lose_it_too() -> None:
    content = shot_of("JPEG") + shot_of("JPEG")
    assert content.count(LATITUDE) == 2
    assert LATITUDE not in photo.encode(photo.read(content, strip_gps=True))


def test_exif_as_text_in_png_goes() -> None:
    """As ImageMagick once wrote it; nothing else reads it, so all of it goes."""
    text = PngImagePlugin.PngInfo()
    text.add_text("Raw profile type exif", f"exif\n{camera_exif().hex()}", zip=True)
    content = file_bytes(Image.fromarray(smooth_picture()), "PNG", pnginfo=text)
    assert b"Raw profile" in content
    shot = photo.read(content, strip_gps=True)
    assert b"Raw profile" not in photo.encode(shot)
    assert photo.encode(photo.read(content)) == content


def test_the_thumbnail_stays_linked_in_an_untouched_photo() -> None:
    block = camera_exif(thumbnail=True).removeprefix(b"Exif\0\0")
    stripped = exif_without_gps(block)
    assert len(stripped) == len(block)
    with tifffile.TiffFile(io.BytesIO(stripped)) as file:
        assert len(file.pages) == 2


@pytest.mark.parametrize("kind", ["float", "bigtiff"])
def test_tiff_that_pillow_does_not_write(tmp_path: Path, kind: str) -> None:
    """Floats are edited in place; a BigTIFF is written anew."""
    source = tmp_path / "a.tif"
    pixels = smooth_picture().astype(np.float32) / 255
    plain = photo.encode(
        photo.read(file_bytes(Image.fromarray(smooth_picture()), "TIFF", exif=camera_exif()))
    )
    if kind == "float":
        shot = photo.read(plain)
        source.write_bytes(
            photo.encode(photo.Photo(pixels=pixels, format="TIFF", metadata=shot.metadata))
        )
    else:
        gps = [(34853, 13, 1, 8, True)]  # points at a directory: the file's own
        tifffile.imwrite(source, smooth_picture(), bigtiff=True, extratags=gps)
    after = photo.encode(photo.read(source, strip_gps=True))
    with tifffile.TiffFile(io.BytesIO(after)) as file:
        tags = file.pages[0].tags  # pyright: ignore[reportAttributeAccessIssue]
        assert 34853 not in tags
        assert file.pages[0].shape == (48, 64, 3)


def test_hostile_directories_do_no_harm() -> None:
    """A GPS entry that points to the first directory itself must not wipe it."""
    block = bytearray(camera_exif().removeprefix(b"Exif\0\0"))
    at = block.index(b"\x88\x25\0\4")
    block[at + 8 : at + 12] = (8).to_bytes(4, "big")
    exif = Image.Exif()
    exif.load(exif_without_gps(bytes(block)))
    assert exif[0x0110] == "Night Phone 3"
    assert 0x8825 not in exif
