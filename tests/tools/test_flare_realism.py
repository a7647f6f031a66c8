"""What compares simulated flares with real ones: exposures, hidden lamps, the classifier, rims."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from tools.flare_measure import FlareMeasure
from tools.flare_realism import Shot, exposure_ratio, moved_to, taken_again, uncovered, verdict
from tools.lamp_rims import rim, rim_change
from tools.layer_classifier import accuracy


def scene() -> np.ndarray:
    return np.random.default_rng(0).uniform(0.02, 0.5, (64, 80, 3)).astype(np.float32)


def test_a_local_flare_does_not_move_the_exposure() -> None:
    bare = scene()
    flared = 0.8 * bare
    flared[:30, :40] += 0.2
    assert exposure_ratio(flared, bare) == pytest.approx(0.8, rel=0.02)


def test_a_veil_is_not_taken_for_exposure_where_pictures_were_exposed_alike() -> None:
    clean = np.full((32, 32, 3), 60, np.uint8)
    hidden = np.zeros((32, 32), bool)
    hidden[:4] = True
    layer = Shot(np.full_like(clean, 90), clean, hidden).layer()
    assert (layer[4:] > 0.05).all()
    assert not layer[:4].any()


def test_a_mask_is_moved_by_its_thickest_place() -> None:
    mask = np.zeros((50, 50), bool)
    mask[5:16, 5:16] = True  # a disc's place
    mask[10, 16:50] = True  # its stick
    moved = moved_to(mask, 30, 25)
    assert moved[20:31, 25:36].all()


def measures(mean: float) -> list[FlareMeasure]:
    spread = np.linspace(0.5, 1.5, 11)
    return [FlareMeasure(mean * s, 30 * s, 10 * s, 2 * s, 1.0, 2.0, 2 * s, 0.5) for s in spread]


def test_the_verdict_names_what_lies_apart() -> None:
    assert verdict(measures(2.0), measures(2.5)) == []
    assert len(verdict(measures(2.0), measures(4.0))) == 3


def test_a_range_that_ends_early_is_named() -> None:
    wide, narrow = measures(2.0), measures(2.0)[3:8]
    assert uncovered(narrow, wide) == []
    assert any(line.startswith("mean light added") for line in uncovered(wide, narrow))


def test_a_second_shot_differs_by_noise_and_hardly_moves() -> None:
    ramp = np.broadcast_to(np.linspace(20, 200, 90)[None, :, None], (90, 90, 3)).astype(np.uint8)
    off = taken_again(ramp, 3).astype(float) - ramp
    assert 0.5 < off.std() < 1.2
    assert abs(off[:, 5:-5].mean()) < 0.4, (
        "two levels a pixel: it moves by less than a fifth of one"
    )


def test_the_classifier_tells_other_layers_and_not_the_same_ones() -> None:
    noise = torch.Generator().manual_seed(0)
    layers = torch.randn(60, 3, 32, 32, generator=noise)
    ramp = layers + torch.linspace(-2, 2, 32)
    assert accuracy(layers[:30], ramp[30:], steps=25) > 0.9
    assert abs(accuracy(layers[:30], layers[30:], steps=25) - 0.5) < 0.25


def test_rims_are_rings_round_lamps_and_colour_in_them_is_seen(tmp_path: Path) -> None:
    before = np.full((60, 60, 3), 40, np.uint8)
    before[28:34, 28:34] = 255
    before[5, 5] = 255  # a hot pixel is no lamp
    ring = rim(before)
    assert ring[26, 30]
    assert not ring[30, 30]
    assert not ring[5, 6]
    assert not ring[20, 30]
    after = before.copy()
    after[ring] = (70, 40, 60)
    for name, pixels in (("before", before), ("after", after)):
        (tmp_path / name).mkdir()
        Image.fromarray(pixels).save(tmp_path / name / "a.png")
    found = rim_change(tmp_path / "before", tmp_path / "after")
    assert found["pictures"] == 1
    assert found["change"] == pytest.approx(30)
    assert rim_change(tmp_path / "before", tmp_path / "before")["change"] == 0
