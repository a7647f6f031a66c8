"""What goes in comes out: pixels to the bit, depth, alpha, metadata, orientation, JPEG tables."""

import io
from pathlib import Path

import numpy as np
import pillow_heif
import pytest
import tifffile
from PIL import Image, ImageOps, PngImagePlugin
from skimage.metrics import peak_signal_noise_ratio

from semilar import photo
from semilar.photo import to_depth
from tests.support.pictures import camera_exif, file_bytes, noise16, smooth_picture, srgb_profile

pillow_heif.register_heif_opener()  # so that Pillow can write what is to be read

LOSSLESS = ["PNG", "TIFF", "BMP", "PPM"]
LOSSY = ["JPEG", "WEBP", "AVIF", "HEIF"]


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "PPM"])
@pytest.mark.parametrize("channels", [1, 3])
def test_16_bits_survive(kind: str, channels: int) -> None:
    pixels = np.repeat(noise16(channels=1), 3, axis=2) if channels == 1 else noise16()
    shot = photo.Photo(pixels=pixels, format=kind, grey=channels == 1)
    again = photo.read(photo.encode(shot))
    assert again.depth == 16
    assert again.grey == (channels == 1)
    assert np.array_equal(again.pixels, pixels)


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
@pytest.mark.parametrize("grey", [False, True])
def test_16_bit_alpha_survives(kind: str, grey: bool) -> None:
    pixels = np.repeat(noise16(channels=1), 3, axis=2) if grey else noise16()
    alpha = noise16(channels=1, seed=2)[:, :, 0]
    again = photo.read(
        photo.encode(photo.Photo(pixels=pixels, alpha=alpha, format=kind, grey=grey))
    )
    assert np.array_equal(again.pixels, pixels)
    assert again.alpha is not None
    assert np.array_equal(again.alpha, alpha)


def test_16_bit_tiff_is_what_tifffile_reads() -> None:
    pixels = noise16()
    written = photo.encode(photo.Photo(pixels=pixels, format="TIFF"))
    assert np.array_equal(tifffile.imread(io.BytesIO(written)), pixels)


@pytest.mark.parametrize("byte_order", ["<", ">"])
@pytest.mark.parametrize("compression", [None, "zlib"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_16_bit_tiff_of_tifffile_is_read(
    byte_order: str, compression: str | None, channels: int
) -> None:
    pixels = noise16(channels=channels)
    stream = io.BytesIO()
    tifffile.imwrite(
        stream,
        pixels[:, :, 0] if channels == 1 else pixels,
        byteorder=byte_order,  # pyright: ignore[reportArgumentType]
        compression=compression,
        photometric="minisblack" if channels == 1 else "rgb",
        extrasamples=["unassalpha"] if channels == 4 else None,
    )
    again = photo.read(stream.getvalue())
    assert np.array_equal(again.pixels, np.broadcast_to(pixels[:, :, :3], (37, 53, 3)))
    if channels == 4:
        assert again.alpha is not None
        assert np.array_equal(again.alpha, pixels[:, :, 3])


def test_16_bit_png_agrees_with_pillow_in_the_high_byte() -> None:
    pixels = noise16()
    written = photo.encode(photo.Photo(pixels=pixels, format="PNG"))
    with Image.open(io.BytesIO(written)) as other:
        assert np.array_equal(np.asarray(other), (pixels >> 8).astype(np.uint8))


def test_16_bit_grey_png_agrees_with_pillow() -> None:
    grey = noise16(channels=1)
    shot = photo.Photo(pixels=np.repeat(grey, 3, axis=2), grey=True)
    with Image.open(io.BytesIO(photo.encode(shot))) as other:
        assert np.array_equal(np.asarray(other), grey[:, :, 0])


@pytest.mark.parametrize("kind", LOSSLESS)
def test_8_bits_survive(kind: str) -> None:
    pixels = smooth_picture()
    again = photo.read(photo.encode(photo.Photo(pixels=pixels, format=kind)))
    assert again.format == kind
    assert np.array_equal(again.pixels, pixels)


@pytest.mark.parametrize("kind", LOSSY)
def test_lossy_formats_come_back_close(kind: str) -> None:
    pixels = smooth_picture(96, 128)
    again = photo.read(photo.encode(photo.Photo(pixels=pixels, format=kind)))
    assert again.format == kind
    assert peak_signal_noise_ratio(pixels, again.pixels) > 33


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "WEBP", "AVIF", "HEIF"])
def test_alpha_survives(kind: str) -> None:
    alpha = smooth_picture()[:, :, 0]
    shot = photo.Photo(pixels=smooth_picture(), alpha=alpha, format=kind)
    again = photo.read(photo.encode(shot))
    assert again.alpha is not None
    assert np.abs(again.alpha.astype(int) - alpha).max() <= (0 if kind in LOSSLESS else 12)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP", "AVIF", "HEIF"])
def test_metadata_survive_and_pillow_reads_them(kind: str) -> None:
    source = file_bytes(
        Image.fromarray(smooth_picture()),
        kind,
        exif=camera_exif(),
        icc_profile=srgb_profile(),
        dpi=(300, 300),
    )
    shot = photo.read(source)
    changed = shot.with_pixels(255 - shot.pixels)
    with Image.open(io.BytesIO(photo.encode(changed))) as other:
        exif = other.getexif()
        assert exif[0x0110] == "Night Phone 3"
        assert exif.get_ifd(0x8769)[0x9003] == "2024:11:02 21:14:07"
        assert exif.get_ifd(0x8769)[0x927C] == b"maker\0note"
        assert exif.get_ifd(0x8825)[1] == "N"
        assert other.info["icc_profile"] == srgb_profile()
        if kind in ("JPEG", "PNG", "TIFF"):
            assert other.info["dpi"] == pytest.approx((300, 300), abs=0.01)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_is_applied_and_reset(kind: str, orientation: int) -> None:
    source = file_bytes(
        Image.fromarray(smooth_picture()), kind, exif=camera_exif(orientation), quality=95
    )
    with Image.open(io.BytesIO(source)) as other:
        expected = np.asarray(ImageOps.exif_transpose(other))
    shot = photo.read(source)
    assert np.array_equal(shot.pixels, expected)
    written = photo.encode(shot.with_pixels(shot.pixels // 2))
    with Image.open(io.BytesIO(written)) as other:
        assert other.getexif().get(0x0112, 1) == 1
        assert other.size == (expected.shape[1], expected.shape[0])


def test_orientation_in_xmp_is_reset() -> None:
    xmp = b'<x:xmpmeta><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'
    source = file_bytes(Image.fromarray(smooth_picture()), "JPEG", exif=camera_exif(6), xmp=xmp)
    with Image.open(io.BytesIO(photo.encode(photo.read(source)))) as other:
        assert b'tiff:Orientation="1"' in other.info["xmp"]


def directories(exif: bytes) -> int:
    """How many linked directories tifffile finds; the second holds the thumbnail."""
    return len(tifffile.TiffFile(io.BytesIO(exif.removeprefix(b"Exif\0\0"))).pages)


def test_thumbnail_of_the_old_picture_is_cut_off() -> None:
    exif = camera_exif(thumbnail=True)
    assert directories(exif) == 2
    shot = photo.read(file_bytes(Image.fromarray(smooth_picture()), "JPEG", exif=exif))
    with Image.open(io.BytesIO(photo.encode(shot.with_pixels(shot.pixels // 2)))) as after:
        assert directories(after.info["exif"]) == 1


@pytest.mark.parametrize("kind", LOSSLESS + LOSSY)
def test_untouched_photo_is_the_same_file(kind: str) -> None:
    source = photo.encode(photo.Photo(pixels=smooth_picture(), format=kind))
    shot = photo.read(source)
    assert photo.encode(shot.with_pixels(shot.pixels.copy())) == source


@pytest.mark.parametrize("subsampling", [0, 1, 2])
def test_jpeg_keeps_tables_and_subsampling(subsampling: int) -> None:
    source = file_bytes(
        Image.fromarray(smooth_picture(96, 128)), "JPEG", quality=71, subsampling=subsampling
    )
    shot = photo.read(source)
    written = photo.encode(shot.with_pixels(255 - shot.pixels))
    with Image.open(io.BytesIO(source)) as before, Image.open(io.BytesIO(written)) as after:
        assert after.quantization == before.quantization  # pyright: ignore
        assert after.layer == before.layer  # pyright: ignore


@pytest.mark.parametrize("quality", [None, 80])
@pytest.mark.parametrize("progressive", [True, False])
def test_jpeg_stays_progressive_and_keeps_its_comment(
    progressive: bool, quality: int | None
) -> None:
    words = "the street at night, f/1.8 – é".encode()
    source = file_bytes(
        Image.fromarray(smooth_picture(96, 128)), "JPEG", progressive=progressive, comment=words
    )
    shot = photo.read(source)
    written = photo.encode(shot.with_pixels(255 - shot.pixels), quality=quality)
    assert (b"\xff\xc2" in written) == progressive  # the marker of a progressive frame
    with Image.open(io.BytesIO(written)) as after:
        assert bool(after.info.get("progressive")) == progressive
        assert after.info["comment"] == words


def test_every_comment_of_a_jpeg_is_kept() -> None:
    source = file_bytes(Image.fromarray(smooth_picture()), "JPEG", comment=b"first")
    source = source[:2] + b"\xff\xfe\0\x08before" + source[2:]
    shot = photo.read(source)
    with Image.open(io.BytesIO(photo.encode(shot.with_pixels(255 - shot.pixels)))) as after:
        assert after.info["comment"] == b"before\nfirst"


@pytest.mark.parametrize("depth", [8, 16])
def test_what_is_written_in_a_png_stays(depth: int) -> None:
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "from the bridge")
    text.add_text("Description", "long " * 99, zip=True)
    text.add_itxt("Title", "Straße bei Nacht", lang="de")
    grey = smooth_picture()[:, :, 0].astype(np.uint16) * 257
    image = Image.fromarray(smooth_picture() if depth == 8 else grey)
    shot = photo.read(file_bytes(image, "PNG", pnginfo=text))
    assert shot.depth == depth
    with Image.open(io.BytesIO(photo.encode(shot.with_pixels(shot.pixels // 2)))) as after:
        assert isinstance(after, PngImagePlugin.PngImageFile)
        wanted = {"Comment": "from the bridge", "Description": "long " * 99}
        assert after.text == {**wanted, "Title": "Straße bei Nacht"}


def test_turned_jpeg_loses_less_than_with_upright_tables() -> None:
    """A sideways phone photo is decoded, turned and encoded again; its tables turn along."""
    image = Image.fromarray(smooth_picture(128, 192))
    tables = [[8 + 3 * (i // 8) + (i % 8) for i in range(64)]] * 2
    options = {"qtables": tables, "subsampling": 0}
    source = file_bytes(image, "JPEG", exif=camera_exif(6), **options)
    shot = photo.read(source)
    ours = photo.read(photo.encode(shot)).pixels
    plain = photo.read(file_bytes(Image.fromarray(shot.pixels), "JPEG", **options)).pixels
    errors = [np.abs(one.astype(int) - shot.pixels).mean() for one in (ours, plain)]
    assert errors[0] < 0.5 * errors[1]


def test_quality_is_obeyed() -> None:
    shot = photo.read(file_bytes(Image.fromarray(smooth_picture(96, 128)), "JPEG", quality=95))
    sizes = [len(photo.encode(shot, quality=quality)) for quality in (20, 60, 90)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2] / 2


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK"])
def test_every_mode_is_read(mode: str) -> None:
    image = Image.fromarray(smooth_picture()).convert(mode)
    kind = "TIFF" if mode == "CMYK" else "PNG"
    shot = photo.read(file_bytes(image, kind))
    assert np.abs(shot.pixels.astype(int) - np.asarray(image.convert("RGB"))).max() <= 1
    assert shot.grey == (mode in ("1", "L", "LA"))
    assert (shot.alpha is not None) == (mode in ("LA", "RGBA"))


def test_palette_with_transparency_has_alpha() -> None:
    image = Image.fromarray(smooth_picture()).quantize(16)
    shot = photo.read(file_bytes(image, "PNG", transparency=3))
    assert shot.alpha is not None
    assert np.array_equal(shot.alpha == 0, np.asarray(image) == 3)


def test_cmyk_jpeg_is_read_as_pillow_does() -> None:
    source = file_bytes(Image.fromarray(smooth_picture()).convert("CMYK"), "JPEG", quality=95)
    with Image.open(io.BytesIO(source)) as other:
        expected = np.asarray(other.convert("RGB"))
    shot = photo.read(source)
    assert np.array_equal(shot.pixels, expected)
    again = photo.read(photo.encode(shot.with_pixels(shot.pixels // 2)))
    assert again.format == "JPEG"


def test_grey_is_written_grey() -> None:
    shot = photo.read(file_bytes(Image.fromarray(smooth_picture()).convert("L"), "JPEG"))
    tinted = shot.pixels.copy()
    tinted[:, :, 0] //= 2
    with Image.open(io.BytesIO(photo.encode(shot.with_pixels(tinted)))) as other:
        assert other.mode == "L"


def test_depth_conversion_rounds_to_the_nearest() -> None:
    deep = np.arange(65536, dtype=np.uint16)
    assert np.array_equal(to_depth(deep, 8), np.rint(deep / 257).astype(np.uint8))
    wide = deep.astype(np.uint32) * np.uint32(65537)
    floats = np.array([-0.3, 0.0, 0.5, 1.0, 7.5])
    assert np.array_equal(to_depth(wide, 16), deep)
    assert to_depth(floats.astype(np.float32), 8).tolist() == [0, 0, 128, 255, 255]
    codes = np.arange(256, dtype=np.uint8)
    assert np.array_equal(to_depth(to_depth(codes, 16), 8), codes)


def test_format_follows_the_suffix(tmp_path: Path) -> None:
    shot = photo.read(file_bytes(Image.fromarray(smooth_picture()), "JPEG"))
    photo.write(shot, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as other:
        assert other.format == "PNG"
        assert np.array_equal(np.asarray(other), shot.pixels)
