"""TIFF files of 32-bit integers and of floats: tifffile writes and reads, Pillow compresses."""

import io
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image

from semilar import photo
from semilar.photo.tiff_layout import TiffEntry, first_directory, with_directory
from tests.support.pictures import camera_exif, file_bytes, smooth_picture, srgb_profile

TYPES = [np.uint32, np.int32, np.float16, np.float32, np.float64]
SIZE = (37, 53)


def values(dtype: type, channels: int, *, seed: int = 0) -> np.ndarray:
    """(H, W, C) of the whole range; floats go beyond 0 and 1."""
    rng = np.random.default_rng(seed)
    shape = (*SIZE, channels)
    if np.dtype(dtype).kind == "f":
        return rng.normal(0.5, 1, shape).astype(dtype)
    return rng.integers(0, np.iinfo(dtype).max, shape, dtype=dtype, endpoint=True)


def by_tifffile(pixels: np.ndarray, **options: Any) -> bytes:
    stream = io.BytesIO()
    channels = pixels.shape[2]
    tifffile.imwrite(
        stream,
        pixels[:, :, 0] if channels == 1 else pixels,
        photometric="minisblack" if channels < 3 else "rgb",
        extrasamples=["unassalpha"] if channels in (2, 4) else None,
        **options,
    )
    return stream.getvalue()


def as_bytes_in_pillow(pixels: np.ndarray, compression: str, *, predictor: int = 1) -> bytes:
    """libtiff's compression of the samples' bytes, with a directory that says what they are."""
    stored = pixels
    if predictor == 2:
        whole = pixels.view(f"u{pixels.dtype.itemsize}")
        stored = np.concatenate([whole[:, :1], np.diff(whole, axis=1)], axis=1)
    rows = np.ascontiguousarray(stored).view(np.uint8).reshape(len(pixels), -1)
    content = file_bytes(Image.fromarray(rows), "TIFF", compression=compression)
    page = first_directory(content)
    channels, bits = pixels.shape[2], 8 * pixels.dtype.itemsize
    form = {"u": 1, "i": 2, "f": 3}[pixels.dtype.kind]
    short = [np.full(channels, value, "<u2").tobytes() for value in (bits, form)]
    return with_directory(
        content,
        page,
        {
            256: pixels.shape[1],
            258: TiffEntry(3, channels, short[0]),
            262: 1 if channels == 1 else 2,
            277: channels,
            317: predictor,
            339: TiffEntry(3, channels, short[1]),
        },
    )


def check(shot: photo.Photo, pixels: np.ndarray) -> None:
    colours = 1 if pixels.shape[2] < 3 else 3
    assert shot.pixels.dtype == pixels.dtype
    assert np.array_equal(shot.pixels, np.broadcast_to(pixels[:, :, :colours], (*SIZE, 3)))
    if pixels.shape[2] > colours:
        assert shot.alpha is not None
        assert np.array_equal(shot.alpha, pixels[:, :, -1])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"byteorder": ">"},
        {"compression": "zlib"},
        {"tile": (16, 32)},
        {"bigtiff": True},
    ],
    ids=str,
)
def test_what_tifffile_writes_is_read(dtype: type, channels: int, options: dict[str, Any]) -> None:
    pixels = values(dtype, channels)
    check(photo.read(by_tifffile(pixels, **options)), pixels)


@pytest.mark.parametrize("layout", [{"rowsperstrip": 5}, {"tile": (16, 32)}], ids=str)
@pytest.mark.parametrize("dtype", [np.uint32, np.int32])
def test_differences_of_integers_are_read(dtype: type, layout: dict[str, Any]) -> None:
    pixels = values(dtype, 3)
    check(photo.read(by_tifffile(pixels, compression="zlib", predictor=2, **layout)), pixels)


def test_samples_in_planes_are_read() -> None:
    pixels = values(np.float32, 3)
    stream = io.BytesIO()
    tifffile.imwrite(
        stream,
        pixels.transpose(2, 0, 1),
        photometric="rgb",
        planarconfig="separate",
        rowsperstrip=9,
    )
    check(photo.read(stream.getvalue()), pixels)


@pytest.mark.parametrize("compression", ["tiff_lzw", "tiff_adobe_deflate", "packbits"])
@pytest.mark.parametrize("predictor", [1, 2])
@pytest.mark.parametrize("channels", [1, 3])
def test_compressions_of_libtiff_are_read(compression: str, predictor: int, channels: int) -> None:
    for dtype in TYPES:
        pixels = values(dtype, channels)
        check(photo.read(as_bytes_in_pillow(pixels, compression, predictor=predictor)), pixels)


def float_differences(pixels: np.ndarray) -> bytes:
    """Predictor 3 as Adobe's technical note 3 has it, byte by byte: planes of high bytes first,
    then each byte less the one that lies as many bytes before it as a pixel has samples."""
    size, step = pixels.dtype.itemsize, pixels.shape[2]
    stored = bytearray()
    for row in pixels.reshape(len(pixels), -1):
        big = row.astype(row.dtype.newbyteorder(">")).tobytes()
        planes = [big[k] for byte in range(size) for k in range(byte, len(big), size)]
        stored += bytes(
            (value - (planes[k - step] if k >= step else 0)) % 256 for k, value in enumerate(planes)
        )
    return bytes(stored)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("channels", [1, 3])
def test_the_predictor_for_floats(dtype: type, channels: int) -> None:
    """For grey float32 Pillow's libtiff, which knows predictor 3, says that the test is right."""
    pixels = values(dtype, channels)
    stored = np.frombuffer(float_differences(pixels), dtype).reshape(pixels.shape)
    content = as_bytes_in_pillow(stored, "tiff_lzw")
    content = with_directory(content, first_directory(content), {317: 3})
    if channels == 1 and dtype is np.float32:
        with Image.open(io.BytesIO(content)) as other:
            assert np.array_equal(np.asarray(other), pixels[:, :, 0])
    check(photo.read(content), pixels)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_what_is_written_tifffile_reads(dtype: type, channels: int) -> None:
    before = photo.read(by_tifffile(values(dtype, channels)))
    other = values(dtype, channels, seed=1)
    colours = 1 if channels < 3 else 3
    changed = before.with_pixels(np.repeat(other[:, :, :colours], 3 // colours, axis=2))
    written = tifffile.imread(io.BytesIO(photo.encode(changed))).reshape(*SIZE, channels)
    assert written.dtype == dtype
    assert np.array_equal(written[:, :, :colours], other[:, :, :colours])
    if channels > colours:
        assert np.array_equal(written[:, :, -1], values(dtype, channels)[:, :, -1])


@pytest.mark.parametrize("dtype", [np.uint16, np.float32])
@pytest.mark.parametrize("orientation", [1, 3, 6])
def test_metadata_and_orientation(dtype: type, orientation: int) -> None:
    pixels = values(dtype, 3)
    content = by_tifffile(
        pixels,
        resolution=(300, 300),
        resolutionunit=2,
        iccprofile=srgb_profile(),
        description="a street",
        metadata=None,
        extratags=[(274, 3, 1, orientation, True)],
    )
    shot = photo.read(content)
    turned = {1: pixels, 3: np.rot90(pixels, 2), 6: np.rot90(pixels, -1)}[orientation]
    assert np.array_equal(shot.pixels, turned)
    assert (photo.encode(shot) == content) == (orientation == 1)
    written = photo.encode(shot.with_pixels(shot.pixels[::-1].copy()))
    with tifffile.TiffFile(io.BytesIO(written)) as file:
        tags = file.pages[0].tags  # pyright: ignore[reportAttributeAccessIssue]
        assert tags[34675].value == srgb_profile()
        assert tags[270].value == "a street"
        assert tags[282].value == (300, 1)
        assert 274 not in tags or tags[274].value == 1


def test_white_as_zero_is_turned_over() -> None:
    pixels = values(np.uint32, 1)
    stream = io.BytesIO()
    tifffile.imwrite(stream, pixels[:, :, 0], photometric="miniswhite")
    assert np.array_equal(photo.read(stream.getvalue()).pixels[:, :, :1], 2**32 - 1 - pixels)


def test_multiplied_transparency_is_refused() -> None:
    stream = io.BytesIO()
    tifffile.imwrite(stream, values(np.float32, 4), photometric="rgb", extrasamples=["assocalpha"])
    with pytest.raises(photo.PhotoError, match="multiplied into the colours"):
        photo.read(stream.getvalue())


@pytest.mark.parametrize("dtype", TYPES)
def test_other_formats_get_rounded_values(dtype: type) -> None:
    pixels = values(dtype, 3)
    shot = photo.read(by_tifffile(pixels))
    top = 1 if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max
    light = np.clip(pixels.astype(np.float64) / top, 0, 1)
    deep = photo.read(photo.encode(shot, format="PNG"))
    assert deep.depth == 16
    assert np.abs(deep.pixels - light * 65535).max() <= 0.5 + 1e-6
    plain = photo.read(photo.encode(shot, format="BMP"))
    assert np.abs(plain.pixels - light * 255).max() <= 0.5 + 1e-6


def test_exif_of_a_float_tiff_is_kept() -> None:
    """Pillow writes grey floats with EXIF; tifffile reads what comes of it."""
    grey = Image.fromarray(values(np.float32, 1)[:, :, 0])
    shot = photo.read(file_bytes(grey, "TIFF", exif=camera_exif()))
    written = photo.encode(shot.with_pixels(shot.pixels / 2))
    with tifffile.TiffFile(io.BytesIO(written)) as file:
        tags = file.pages[0].tags  # pyright: ignore[reportAttributeAccessIssue]
        assert tags[34665].value["DateTimeOriginal"] == "2024:11:02 21:14:07"
        assert tags[34853].value["GPSLatitudeRef"] == "N"


def test_a_16_bit_tiff_with_lzw_is_read_as_pillow_wrote_it() -> None:
    grey = smooth_picture()[:, :, 0].astype(np.uint16) * 257 + 1
    content = file_bytes(Image.fromarray(grey), "TIFF", compression="tiff_lzw")
    assert np.array_equal(photo.read(content).pixels[:, :, 0], grey)
