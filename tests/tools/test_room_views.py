"""Views into panoramas: what a file holds, and where a camera looks."""

import csv

import numpy as np
import pytest
from tools.room_views import LIST, exposed, read_radiance, view


def radiance(codes: np.ndarray) -> bytes:
    """A Radiance file of (H, W, 4) bytes: every second channel as one run where it is constant."""
    height, width = codes.shape[:2]
    content = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %d +X %d\n" % (height, width)
    for row in codes:
        content += bytes([2, 2, width >> 8, width & 255])
        for channel in row.T:
            if len(set(channel)) == 1:
                content += bytes([128 + width, channel[0]])
            else:
                content += bytes([width]) + bytes(channel)
    return content


def test_radiance_is_mantissa_times_two_to_the_exponent():
    codes = np.random.default_rng(0).integers(0, 256, (3, 40, 4)).astype(np.uint8)
    codes[..., 3] = codes[:, :1, 3] // 8 + 120
    codes[1, :, 0] = 77
    light = read_radiance(radiance(codes))
    expected = codes[..., :3] * 2.0 ** (codes[..., 3:].astype(int) - 128 - 8)
    np.testing.assert_allclose(light, expected, rtol=1e-6)


def test_other_files_are_refused():
    with pytest.raises(ValueError, match="no Radiance"):
        read_radiance(b"P6\n\n1 1\n")
    with pytest.raises(ValueError, match="no run lengths"):
        read_radiance(b"#?RADIANCE\n\n-Y 1 +X 8\n" + bytes(32))


def directions(height: int) -> np.ndarray:
    """A panorama whose light at each place is the direction it comes from, (H, 2 H, 3)."""
    turn = (np.arange(2 * height) + 0.5) / height * np.pi - np.pi
    down = (np.arange(height) + 0.5) / height * np.pi
    x, z = (np.sin(down)[:, None] * f(turn)[None, :] for f in (np.sin, np.cos))
    y = np.broadcast_to(np.cos(down)[:, None], x.shape)
    return np.stack([x, y, z], axis=-1).astype(np.float32)


@pytest.mark.parametrize("seed", range(6))
def test_a_view_is_a_perspective_picture(seed):
    seen = view(directions(256), np.random.default_rng(seed), 60).astype(float)
    np.testing.assert_allclose(np.linalg.norm(seen, axis=-1), 1, atol=2e-3)
    middle = seen[[29, 30]][:, [seen.shape[1] // 2 - 1, seen.shape[1] // 2]].mean((0, 1))
    if seen.shape[0] != 60:
        middle = seen[seen.shape[0] // 2 - 1 : seen.shape[0] // 2 + 1, 29:31].mean((0, 1))
    middle /= np.linalg.norm(middle)
    plane = seen / (seen @ middle)[..., None]  # all rays end on one plane before the camera
    for axis in (0, 1):
        steps = np.diff(plane, axis=axis).reshape(-1, 3)
        np.testing.assert_allclose(steps, np.broadcast_to(steps.mean(0), steps.shape), atol=3e-3)
    up = plane[0].mean(0) - plane[-1].mean(0)
    assert up[1] > 0, "the picture stands upright"
    right = plane[:, -1].mean(0) - plane[:, 0].mean(0)
    assert np.cross(middle, up) @ right < 0, "it is no mirror image"


def test_ceilings_are_seen_more_often_than_floors():
    panorama = directions(64)
    heights = [view(panorama, np.random.default_rng(seed), 16)[..., 1].mean() for seed in range(60)]
    assert np.mean(heights) > 0.15


def test_an_exposure_keeps_colours_and_clips_lamps():
    rng = np.random.default_rng(1)
    light = np.full((32, 32, 3), [0.2, 0.1, 0.05], np.float32)
    light[:4] = 50
    seen = exposed(light, rng)
    assert (seen[:4] == 1).all()
    wall = seen[8:].mean((0, 1))
    np.testing.assert_allclose(wall / wall[0], [1, 0.5, 0.25], rtol=0.02)
    assert 0.05 < wall.mean() < 0.4


def test_every_panorama_of_the_list_is_free():
    rows = list(csv.DictReader(LIST.open(encoding="utf-8")))
    assert rows
    for row in rows:
        assert row["licence"] == "CC0-1.0"
        assert row["author"]
        assert row["link"].startswith("https://polyhaven.com/")
        assert row["package"]
        assert len(row["sha256"]) == 64
