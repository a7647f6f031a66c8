"""Camera files: a small DNG made here, developed by LibRaw."""

import io

import numpy as np
import pytest
import tifffile

from semilar import photo


def camera_file(height: int = 64, width: int = 96) -> bytes:
    """A minimal DNG: an RGGB mosaic whose left half is dark and whose right half is bright."""
    mosaic = np.full((height, width), 4000, np.uint16)
    mosaic[:, width // 2 :] = 40000
    stream = io.BytesIO()
    identity = [
        value for pair in zip(np.eye(3, dtype=int).ravel(), [1] * 9, strict=True) for value in pair
    ]
    tags = [
        (33421, 3, 2, (2, 2), True),  # CFARepeatPatternDim
        (33422, 1, 4, b"\0\1\1\2", True),  # CFAPattern
        (50706, 1, 4, b"\1\4\0\0", True),  # DNGVersion
        (50708, 2, 0, "Test Camera", True),  # UniqueCameraModel
        (50717, 4, 1, 65535, True),  # WhiteLevel
        (50721, 10, 9, identity, True),  # ColorMatrix1
        (50728, 5, 3, (1, 1, 1, 1, 1, 1), True),  # AsShotNeutral
        (50778, 3, 1, 21, True),  # CalibrationIlluminant1
    ]
    tifffile.imwrite(stream, mosaic, photometric=32803, extratags=tags)
    return stream.getvalue()


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
