"""Pattern folders: layouts as published, own folders, and what is wrong with them."""

import numpy as np
import pytest
from PIL import Image

from semilar.errors import SemilarError
from semilar.flare import PatternSet, SynthSettings, decode, synthesize
from semilar.flare.scene import night_scene

SETTINGS = SynthSettings.preset("protocol")


def save(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path)


def flare_picture(side=144, core=4):
    line = np.arange(side) - side / 2
    radius = np.hypot(line[:, None], line[None, :])
    glow = 255 / (1 + (radius / core) ** 2)
    glow[radius < core] = 255
    return np.repeat(glow[..., None], 3, axis=2).astype(np.uint8)


def light_picture(side=144, core=4):
    line = np.arange(side) - side / 2
    disc = np.hypot(line[:, None], line[None, :]) < core
    return np.repeat(np.where(disc, 255, 0)[..., None], 3, axis=2).astype(np.uint8)


@pytest.fixture
def flare7kpp(tmp_path):
    root = tmp_path / "Flare7Kpp"
    for base in (root / "Flare7K/Scattering_Flare", root / "Flare-R"):
        for number in range(3):
            save(base / "Compound_Flare" / f"{number:06d}.png", flare_picture())
            save(base / "Light_Source" / f"{number:06d}.png", light_picture())
    for other in ("Glare_with_shimmer", "Streak", "Core"):
        save(root / "Flare7K/Scattering_Flare" / other / "000000.png", flare_picture())
    save(root / "Flare7K/Reflective_Flare/000000.png", flare_picture())
    save(root / "test_data/real/input/input_000000.png", np.full((20, 20, 3), 200, np.uint8))
    return root


def test_flare7kpp_is_found_by_folder_names(flare7kpp):
    patterns = PatternSet(flare7kpp)
    assert [len(group) for group in patterns.groups] == [3, 3]
    assert len(patterns) == 6
    assert len(patterns.reflective) == 1
    for group in patterns.groups:
        for pattern in group:
            assert pattern.light is not None
            assert pattern.light.name == pattern.flare.name
            assert pattern.light.parent.name == "Light_Source"
            assert pattern.light.parent.parent == pattern.flare.parent.parent


def test_flarex_is_found_by_folder_names(tmp_path):
    for flares, lights in (
        ("Flare2D/Compound_Flare", "Flare2D/Light_Source"),
        ("Flare3D/Flare_Img", "Flare3D/Light_Img"),
    ):
        save(tmp_path / "FlareX" / flares / "flare_0007.png", flare_picture())
        save(tmp_path / "FlareX" / lights / "light_0007.png", light_picture())
    patterns = PatternSet(tmp_path)
    assert [len(group) for group in patterns.groups] == [1, 1]
    assert all(group[0].light is not None for group in patterns.groups)


def test_own_folder_of_flares_on_black(tmp_path):
    save(tmp_path / "mine" / "a.png", flare_picture())
    save(tmp_path / "mine" / "deeper" / "b.jpg", flare_picture())
    patterns = PatternSet(tmp_path / "mine")
    assert [pattern.light for pattern in patterns.groups[0]] == [None, None]
    sample = synthesize(
        night_scene(0, (160, 160)), seed=4, settings=SETTINGS, size=(128, 128), patterns=patterns
    )
    assert (sample.input > sample.target).any()


def test_a_sample_from_patterns_keeps_its_light_source_and_is_reproducible(flare7kpp):
    background = night_scene(0, (160, 160)) // 4
    lit = 0
    for seed in range(12):
        made = [
            synthesize(
                background,
                seed=seed,
                settings=SETTINGS,
                size=(128, 128),
                patterns=PatternSet(flare7kpp),
            )
            for _ in range(2)
        ]
        assert made[0].input.tobytes() == made[1].input.tobytes()
        assert (made[0].input >= made[0].target - 1e-6).all()
        lit += bool((made[0].mask == (0, 0, 255)).all(axis=2).any())
    assert lit >= 4


def test_reflective_patterns_join_when_asked_for(flare7kpp):
    from dataclasses import replace

    with_ghosts = replace(SETTINGS, pattern=replace(SETTINGS.pattern, reflective=1.0))
    scene = night_scene(0, (160, 160)) // 8
    light = {
        settings.pattern.reflective: synthesize(
            scene, seed=3, settings=settings, size=(128, 128), patterns=PatternSet(flare7kpp)
        ).flare.mean()
        for settings in (SETTINGS, with_ghosts)
    }
    assert light[1.0] > light[0.0]


def test_the_same_pattern_is_decoded_once(flare7kpp, monkeypatch):
    read = []
    original = decode.decode
    monkeypatch.setattr(
        "semilar.flare.patterns.decode", lambda *a: read.append(a[0]) or original(*a)
    )
    patterns = PatternSet(flare7kpp)
    for group in patterns.groups * 3:
        for pattern in group:
            patterns.decode(pattern)
    assert len(read) == len(set(read)) == 6


def test_memory_stays_within_the_budget(flare7kpp):
    patterns = PatternSet(flare7kpp, cache_bytes=200_000)  # three patterns of 62 kB fit
    for group in patterns.groups:
        for pattern in group:
            patterns.decode(pattern)
    again = [pattern for group in patterns.groups for pattern in group]
    held = [pattern for pattern in again if patterns.decode(pattern) is patterns.decode(pattern)]
    assert len(held) == 3


def test_light_is_stored_as_its_box_and_lands_where_it_was(flare7kpp):
    pattern = PatternSet(flare7kpp).groups[0][0]
    found = decode.decode(pattern.flare, pattern.light)
    assert found.light is not None
    full = np.zeros_like(found.flare)
    top, left = found.corner
    full[:, top : top + found.light.shape[1], left : left + found.light.shape[2]] = found.light
    np.testing.assert_array_equal(full, light_picture().transpose(2, 0, 1))
    assert found.light.size < full.size / 100


def test_missing_and_empty_folders(tmp_path):
    with pytest.raises(SemilarError, match=r"nowhere: no such folder of flare patterns"):
        PatternSet(tmp_path / "nowhere")
    with pytest.raises(SemilarError, match=r"no flare patterns here"):
        PatternSet(tmp_path)


def test_missing_light_source_file_names_the_flare(flare7kpp):
    (flare7kpp / "Flare-R/Light_Source/000001.png").unlink()
    with pytest.raises(SemilarError, match=r"000001.png: no light-source file.*1 of 3"):
        PatternSet(flare7kpp)


def test_empty_light_source_folder(flare7kpp):
    for file in (flare7kpp / "Flare-R/Light_Source").iterdir():
        file.unlink()
    with pytest.raises(SemilarError, match=r"its folder of light sources is empty"):
        PatternSet(flare7kpp)


def test_light_source_of_another_size(flare7kpp):
    save(flare7kpp / "Flare-R/Light_Source/000001.png", light_picture(side=100))
    patterns = PatternSet(flare7kpp)
    with pytest.raises(SemilarError, match=r"000001.png: 100 x 100 pixels, but its flare"):
        [patterns.decode(pattern) for group in patterns.groups for pattern in group]


def test_pattern_not_on_black(tmp_path):
    save(tmp_path / "day.png", np.full((64, 64, 3), 120, np.uint8))
    patterns = PatternSet(tmp_path)
    with pytest.raises(SemilarError, match=r"day.png: not a flare on black"):
        patterns.decode(patterns.groups[0][0])


def test_unreadable_pattern(tmp_path):
    (tmp_path / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n torn")
    patterns = PatternSet(tmp_path)
    with pytest.raises(SemilarError, match=r"torn.png: cannot be read as a picture"):
        patterns.decode(patterns.groups[0][0])
