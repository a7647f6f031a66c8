"""In one kind, out the same."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from semilar.errors import PhotoError
from semilar.photo import Photo
from semilar.restore import Remover
from tests.restore.oracle import Dimmer, Identity
from tests.support.pictures import camera_exif, file_bytes, noise16, smooth_picture

DIM = Remover(engine=Dimmer(), threads=1)
NOTHING = Remover(engine=Identity(), threads=1)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("channels", [None, 1, 3, 4])
def test_arrays(dtype: type, channels: int | None) -> None:
    values = noise16(40, 50, channels or 1)
    top = 1.0 if np.dtype(dtype).kind == "f" else np.iinfo(dtype).max
    array = (values * (top / 65535)).astype(dtype)
    array = array[:, :, 0] if channels is None else array
    result = DIM.remove(array)
    assert (result.image.shape, result.image.dtype) == (array.shape, array.dtype)
    assert (result.flare.shape, result.flare.dtype) == (array.shape, array.dtype)
    colour = slice(None) if channels != 4 else slice(3)
    assert result.image[..., colour].mean() < 0.8 * array[..., colour].mean()
    if channels == 4:
        np.testing.assert_array_equal(result.image[..., 3], array[..., 3])
    same = NOTHING.remove(array)
    np.testing.assert_array_equal(same.image, array)
    assert same.image is not array  # the caller may write to it


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "I;16"])
def test_pillow_images_keep_mode_and_notes(mode: str) -> None:
    if mode == "I;16":
        image = Image.fromarray(noise16(40, 50, 1)[:, :, 0])
    else:
        image = Image.fromarray(smooth_picture()).convert(mode)
    image.info["icc_profile"] = b"profile"
    result = DIM.remove(image)
    assert (result.image.mode, result.image.size) == (image.mode, image.size)
    assert result.image.info["icc_profile"] == b"profile"
    assert np.mean(np.asarray(result.image)) < np.mean(np.asarray(image))
    np.testing.assert_array_equal(np.asarray(NOTHING.remove(image).image), np.asarray(image))


@pytest.mark.parametrize(("mode", "comes"), [("P", "RGB"), ("CMYK", "RGB"), ("1", "RGB")])
def test_other_pillow_modes_come_back_as_rgb(mode: str, comes: str) -> None:
    image = Image.fromarray(smooth_picture()).convert(mode)
    assert DIM.remove(image).image.mode == comes


def test_bytes_give_bytes_and_paths_a_photo(tmp_path: Path) -> None:
    content = file_bytes(Image.fromarray(smooth_picture()), "JPEG", exif=camera_exif(), quality=90)
    result = DIM.remove(content)
    again = Image.open(io.BytesIO(result.image))
    assert (again.format, again.size) == ("JPEG", (64, 48))
    assert again.getexif()[0x0110] == "Night Phone 3"
    assert NOTHING.remove(content).image == content
    path = tmp_path / "a.jpg"
    path.write_bytes(content)
    photo = DIM.remove(path).image
    assert isinstance(photo, Photo)
    assert list(tmp_path.iterdir()) == [path]  # a session writes nothing


def test_file_objects_give_a_file_object(tmp_path: Path) -> None:
    content = file_bytes(Image.fromarray(smooth_picture()), "JPEG", quality=90)
    path = tmp_path / "street.jpg"
    path.write_bytes(content)
    wanted = DIM.remove(content).image
    with path.open("rb") as stream:
        result = DIM.remove(stream)
    assert isinstance(result.image, io.BytesIO)
    assert result.image.tell() == 0  # at its beginning, ready to be read or sent
    assert result.image.read() == wanted
    assert Image.open(result.flare).size == (64, 48)
    assert NOTHING.remove(io.BytesIO(content)).image.read() == content
    assert isinstance(DIM.remove(bytearray(content)).image, bytearray)
    with path.open("rb") as stream:
        stream.read()
        with pytest.raises(PhotoError, match=r"street\.jpg: is empty"):
            DIM.remove(stream)
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    with text.open() as stream, pytest.raises(PhotoError, match=r"notes\.txt: .*binary mode"):
        DIM.remove(stream)


def test_grey_stays_grey() -> None:
    grey = smooth_picture()[:, :, 0]

    class Tinted(Dimmer):
        def run(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            scene = image * np.array([0.9, 0.6, 0.3], np.float32)[:, None, None]
            return scene, image - scene

    photo = Photo(pixels=np.repeat(grey[:, :, None], 3, axis=2), grey=True)
    pixels = Remover(engine=Tinted()).remove(photo).image.pixels
    assert (pixels == pixels[:, :, :1]).all()
    assert pixels.mean() < grey.mean()


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (np.zeros((4, 4, 2), np.uint8), "shape"),
        (np.zeros((0, 4, 3), np.uint8), "shape"),
        (np.zeros(4, np.uint8), "shape"),
        (np.zeros((4, 4, 3), np.int32), "int32"),
        (np.full((4, 4, 3), 200.0), "0 to 1"),
        (np.full((4, 4, 3), np.nan), "finite"),
        ([1, 2, 3], "list"),
        (None, "NoneType"),
    ],
)
def test_what_is_no_picture_is_refused_with_an_error(picture: object, words: str) -> None:
    with pytest.raises(PhotoError, match=words):
        DIM.remove(picture)


@pytest.mark.parametrize(
    ("mask", "words"),
    [(np.zeros((9, 50), bool), "another shape"), (np.zeros((48, 64, 3), np.uint8), "A mask is")],
)
def test_masks_that_do_not_fit(mask: np.ndarray, words: str) -> None:
    with pytest.raises(PhotoError, match=words):
        DIM.remove(smooth_picture(), mask=mask)
