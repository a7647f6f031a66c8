"""Full resolution: what an engine that knows the flare gives, and what must never change."""

import io

import numpy as np
import pytest
from PIL import Image
from threadpoolctl import threadpool_info, threadpool_limits

from semilar.photo import Photo, linear_to_srgb, srgb_to_linear
from semilar.restore import Remover
from semilar.restore.fullsize import shrink, subtract
from tests.restore.oracle import Dimmer, Identity, Oracle, codes, decibels, simulated
from tests.support.pictures import file_bytes


@pytest.mark.parametrize(("seed", "preset"), [(0, "realistic"), (2, "strong"), (3, "lens-b")])
def test_oracle_at_1080p(seed: int, preset: str) -> None:
    spoiled, scene = simulated((1080, 1920), seed=seed, preset=preset)
    result = Remover(engine=Oracle(scene), threads=1).remove(spoiled)
    assert result.found
    assert result.working_size == (512, 910)
    assert decibels(result.image, scene) >= 43
    assert decibels(result.image, scene) > decibels(spoiled, scene) + 6


@pytest.mark.slow
def test_oracle_at_12_megapixels() -> None:
    levels = []
    for seed in range(3):  # the first is an extreme: its flare leaves 16 dB
        spoiled, scene = simulated((3000, 4000), seed=seed, preset="realistic")
        result = Remover(engine=Oracle(scene), threads=1).remove(spoiled)
        levels.append(decibels(result.image, scene))
        assert levels[-1] > decibels(spoiled, scene) + 6
    assert np.mean(levels) >= 40


def test_light_is_averaged_as_light() -> None:
    picture = np.random.default_rng(1).integers(0, 256, (60, 80, 3)).astype(np.uint8)
    linear = srgb_to_linear(picture / 255).astype(np.float64)
    blocks = linear.reshape(15, 4, 20, 4, 3)
    small = shrink(picture, (15, 20))
    np.testing.assert_allclose(small.mean, blocks.mean(axis=(1, 3)), atol=1e-6)
    bright = (blocks.mean(axis=4) ** 2).mean(axis=(1, 3))
    np.testing.assert_allclose(small.bright_square[..., 0], bright, atol=1e-6)
    white = np.clip((blocks - 0.9) / 0.08, 0, 1).mean(axis=(1, 3))
    np.testing.assert_allclose(small.clipped, white, atol=1e-5)


def _top(dtype: type) -> float:
    """The largest value of a pixel type."""
    return 1.0 if np.dtype(dtype).kind == "f" else float(np.iinfo(dtype).max)


def _spot(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """A noisy photo with a round glow in its middle, and the scene without it."""
    rng = np.random.default_rng(4)
    y, x = np.mgrid[-1:1:600j, -1:1:800j]
    scene = 0.2 + 0.1 * rng.random((600, 800, 3))
    glow = np.clip(1 - 4 * np.hypot(x, y), 0, None)[..., None] * [0.5, 0.4, 0.3]
    linear = [scene, np.clip(scene + glow, 0, 1)]
    curve = [
        np.where(one < 0.0031308, 12.92 * one, 1.055 * one ** (1 / 2.4) - 0.055) for one in linear
    ]
    top = _top(dtype)
    scene, spoiled = (
        one.astype(dtype) if top == 1 else np.rint(one * top).astype(dtype) for one in curve
    )
    return spoiled, scene


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_pixels_without_flare_stay_bit_for_bit(dtype: type) -> None:
    spoiled, scene = _spot(dtype)
    result = Remover(
        engine=Oracle(scene.astype(np.float32) if dtype is np.float64 else scene)
    ).remove(spoiled)
    y, x = np.mgrid[-1:1:600j, -1:1:800j]
    outside = np.hypot(x, y) > 0.27  # two samples of the network beyond the glow
    assert result.image.dtype == dtype
    np.testing.assert_array_equal(result.image[outside], spoiled[outside])
    top = _top(dtype)
    inside = np.hypot(x, y) < 0.15
    error = (result.image[inside].astype(np.float64) - scene[inside]) / top
    assert np.sqrt(np.mean(error**2)) < 0.01
    assert np.mean((spoiled[inside].astype(np.float64) - scene[inside]) / top) > 0.1


@pytest.mark.parametrize("dtype", [np.uint32, np.int32, np.float16, np.float32, np.float64])
def test_photos_of_every_type_of_tiff(dtype: type) -> None:
    """As above, and lights above white and below black stay what they are."""
    spoiled, scene = _spot(dtype)
    for one in (spoiled, scene) if np.dtype(dtype).kind != "u" else ():
        one[:5, :5], one[-5:, -5:] = 6 if _top(dtype) == 1 else -7, -0.1 * _top(dtype)
    result = Remover(engine=Oracle(scene)).remove(Photo(pixels=spoiled, format="TIFF"))
    y, x = np.mgrid[-1:1:600j, -1:1:800j]
    outside, inside = np.hypot(x, y) > 0.27, np.hypot(x, y) < 0.15
    assert result.image.pixels.dtype == dtype
    np.testing.assert_array_equal(result.image.pixels[outside], spoiled[outside])
    error = (result.image.pixels[inside].astype(np.float64) - scene[inside]) / _top(dtype)
    assert np.sqrt(np.mean(error**2)) < 0.01


def test_a_highlight_above_white_under_flare_stays_above_white() -> None:
    pixels = np.full((120, 160, 3), 0.5, np.float32)
    pixels[50:60, 70:80] = 4.0  # encoded: 27 times white
    result = Remover(engine=Dimmer(0.9)).remove(Photo(pixels=pixels, format="TIFF"))
    assert result.found
    after = result.image.pixels
    assert 3.9 < after[50:60, 70:80].min() <= after[50:60, 70:80].max() <= 4
    assert after[5, 5].max() < 0.5
    assert after[100:].max() <= 1


@pytest.mark.parametrize("noise", [0.0, 2 / 255])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_photo_without_flare_comes_back_unchanged(dtype: type, noise: float) -> None:
    _, scene = _spot(dtype)
    result = Remover(engine=Identity(noise)).remove(scene)
    assert not result.found
    np.testing.assert_array_equal(result.image, scene)
    assert not result.flare.any()


def test_the_layer_keeps_its_sign() -> None:
    spoiled, scene = _spot(np.uint8)
    result = Remover(engine=Oracle(spoiled)).remove(scene)  # now the "scene" is the brighter one
    assert result.found
    assert decibels(result.image, spoiled) > 40


def test_strength_goes_from_nothing_to_all_in_linear_light() -> None:
    spoiled, scene = _spot(np.uint16)
    remover = Remover(engine=Oracle(scene))
    none, half, full = (remover.remove(spoiled, strength=s).image for s in (0, 0.5, 1))
    np.testing.assert_array_equal(none, spoiled)
    linear = [srgb_to_linear(one / 65535) for one in (spoiled, half, full)]
    np.testing.assert_allclose(linear[1], (linear[0] + linear[2]) / 2, atol=5e-5)


def test_beyond_one_what_was_found_is_exaggerated_down_to_black() -> None:
    spoiled, scene = _spot(np.uint16)
    remover = Remover(engine=Oracle(scene))
    once, twice = (remover.remove(spoiled, strength=s).image for s in (1, 2))
    linear = [srgb_to_linear(one / 65535) for one in (spoiled, once, twice)]
    wanted = np.clip(2 * linear[1] - linear[0], 0, 1)
    np.testing.assert_allclose(linear[2], wanted, atol=5e-5)
    assert (wanted == 0).any()  # some of it does end in black


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_code_changes_only_where_half_a_level_is_taken(dtype: type) -> None:
    """The layer is small but not zero in much of a photo; then rounding decides, and exactly."""
    _, scene = _spot(dtype)
    top = _top(dtype)
    rise = 0.05 * np.linspace(0, 1, 800)[:, None] ** 2  # of light, from nothing at the left
    hazy = linear_to_srgb((srgb_to_linear(scene / top) + rise).astype(np.float32))
    hazy = np.rint(hazy * top).astype(dtype)
    layer = Remover(engine=Oracle(scene)).find(hazy)
    assert layer.found
    exact = subtract((hazy / top).astype(np.float32), layer)  # floats are not rounded
    levels = np.abs(hazy - exact.astype(np.float64) * top)
    kept = subtract(hazy, layer) == hazy
    assert kept[levels < 0.4].all()
    assert not kept[levels > 0.6].any()
    if dtype is np.uint8:
        assert 0.05 < np.mean(kept) < 0.6
        assert np.mean(levels[kept] > 0.01) > 0.02  # something was taken, and less than half


def test_a_jpeg_is_compressed_anew_and_moves_little_elsewhere() -> None:
    spoiled, scene = _spot(np.uint8)
    content = file_bytes(Image.fromarray(spoiled), "JPEG")
    flared = (spoiled != scene).any(axis=2, keepdims=True)
    seen = np.where(flared, scene, np.asarray(Image.open(io.BytesIO(content))))
    result = Remover(engine=Oracle(seen)).remove(content)
    after = np.asarray(Image.open(io.BytesIO(result.image)))
    untouched = (result.after == result.before).all(axis=2)
    assert untouched.mean() > 0.3
    moved = np.abs(after.astype(int) - result.before)[untouched]
    assert 0 < moved.mean() < 0.5


def test_a_mask_limits_the_effect() -> None:
    spoiled, scene = _spot(np.uint8)
    mask = np.zeros((600, 800), bool)
    mask[:, :400] = True
    remover = Remover(engine=Oracle(scene))
    free, limited = remover.remove(spoiled).image, remover.remove(spoiled, mask=mask).image
    np.testing.assert_array_equal(limited[:, :400], free[:, :400])
    np.testing.assert_array_equal(limited[:, 400:], spoiled[:, 400:])
    small = mask[::4, ::4].astype(np.uint8) * 255  # of the photo's shape, smaller
    scaled = remover.remove(spoiled, mask=small).image
    np.testing.assert_array_equal(scaled[:, :390], free[:, :390])
    np.testing.assert_array_equal(scaled[:, 410:], spoiled[:, 410:])


def test_bands_and_threads_do_not_show() -> None:
    picture = np.random.default_rng(2).integers(0, 256, (1500, 900, 3)).astype(np.uint8)
    one, many = (
        Remover(engine=Dimmer(), threads=n, working_size=64).remove(picture).image for n in (1, 5)
    )
    np.testing.assert_array_equal(one, many)
    flat = np.full((1500, 900, 3), 180, np.uint8)
    dimmed = Remover(engine=Dimmer(), threads=1, working_size=64).remove(flat).image
    assert np.unique(dimmed).size == 1


@pytest.mark.parametrize("radius", [3, 12, 60])
def test_clipped_lamps_keep_their_shape_and_stay_white(radius: int) -> None:
    """The lamp may be smaller than a sample of the network (6 pixels), or much larger."""
    y, x = np.mgrid[:1536, :1536] - 768.0
    distance = np.hypot(x, y)
    lamp = distance < radius
    glow = 0.45 / (1 + (distance / 150) ** 2)
    scene = np.where(lamp, 1.0, 0.03)[..., None] * np.ones(3)
    spoiled = np.where(lamp[..., None], 1.0, scene + glow[..., None] * [1.0, 0.8, 0.6])
    scene, spoiled = (codes(np.clip(one, 0, 1) ** (1 / 2.2)) for one in (scene, spoiled))
    restored = Remover(engine=Oracle(scene), working_size=256).remove(spoiled).image
    core = distance < max(1.5, radius - 6)
    assert restored[core].min() >= 235
    rim = restored[lamp].astype(int)
    assert rim.min() > 190  # the untreated layer would leave 190 and less in the core
    assert (rim.max(axis=1) - rim.min(axis=1)).max() < 40  # no coloured rim
    bright = (restored.min(axis=2) > 128).sum()
    assert bright == pytest.approx(lamp.sum(), rel=0.06, abs=6)


def test_a_network_that_dims_lamps_does_not_make_them_grey() -> None:
    picture = np.full((300, 300, 3), 40, np.uint8)
    picture[100:200, 100:200] = 255
    restored = Remover(engine=Dimmer(0.97)).remove(picture).image
    assert (restored[102:198, 102:198] == 255).all()


@pytest.mark.linux  # where NumPy comes with OpenBLAS; Apple's library can't be asked
def test_products_stay_on_the_thread_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    def allowed() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    seen: set[int] = set()
    product = np.matmul

    def counted(*args, **kwargs):
        seen.update(allowed())
        return product(*args, **kwargs)

    monkeypatch.setattr(np, "matmul", counted)
    with threadpool_limits(limits=2, user_api="blas"):
        assert 2 in allowed()
        shrink(np.zeros((64, 64, 3), np.uint8), (32, 32), threads=2)
        assert seen == {1}
        assert 2 in allowed()
