"""Camera files: a small DNG made here, developed by LibRaw."""

import numpy as np
import pytest

from semilar import photo
from tests.support.pictures import camera_file


def test_dng_is_developed_to_16_bits_and_written_as_tiff() -> None:
    shot = photo.read(camera_file(), name="night.dng")
    assert shot.size == (64, 96)
    assert shot.depth == 16
    assert shot.format == "TIFF"
    dark, bright = shot.pixels[:, 8:40].mean(), shot.pixels[:, 56:88].mean()
    assert bright > 2 * dark
    again = photo.read(photo.encode(shot))
    assert np.array_equal(again.pixels, shot.pixels)


def test_pixel_limit_holds_for_raw() -> None:
    with pytest.raises(photo.PhotoError, match=r"night\.dng: has 96 x 64 pixels"):
        photo.read(camera_file(), name="night.dng", max_pixels=1000)
