"""Masks in the published colour code, as the region metrics read them."""

import numpy as np

from semilar.data.mixture import Synth
from semilar.flare import SynthSettings, synthesize
from semilar.flare.masks import draw_mask
from semilar.flare.sample import Layers
from semilar.flare.scene import night_scene
from semilar.quality.regions import region_psnr, uses_colour_code

CODES = {(0, 0, 0), (255, 255, 0), (255, 0, 0), (0, 0, 255)}


def test_each_region_has_its_colour_and_light_wins():
    light, flare = (np.zeros((4, 6, 3), np.float32) for _ in range(2))
    streak = np.zeros((4, 6), bool)
    flare[0] = 0.05
    streak[1], flare[1] = True, 0.3
    light[2], flare[2], streak[2, :3] = 5.0, 0.5, True
    flare[3] = 0.001
    mask = draw_mask(Layers(light, flare, streak), np.clip(light + 0.1, 0, 1))
    rows = [tuple(int(v) for v in mask[row, 0]) for row in range(4)]
    assert rows == [(255, 255, 0), (255, 0, 0), (0, 0, 255), (0, 0, 0)]


def test_masks_of_samples_keep_to_the_code_and_cover_the_flare():
    settings = SynthSettings.preset("strong")
    seen = set()
    for seed in range(12):
        sample = synthesize(night_scene(0, (128, 128)), seed=seed, settings=settings, size=(96, 96))
        assert uses_colour_code(sample.mask)
        codes = {tuple(int(v) for v in code) for code in sample.mask.reshape(-1, 3)}
        assert codes <= CODES
        seen |= codes
        changed = np.abs(sample.input - sample.target).max(axis=2) > 0.2
        marked = sample.mask.any(axis=2)
        assert not (changed & ~marked).any()
    assert seen == CODES


def test_region_metrics_can_be_computed_on_a_sample():
    with_streaks = {"lens": {"streak": {"probability": 1.0}}}
    settings = Synth(preset="strong", changes=with_streaks).settings
    sample = synthesize(night_scene(0, (128, 128)), seed=2, settings=settings, size=(96, 96))
    regions = region_psnr(sample.input, sample.target, sample.mask)
    assert regions.streak is not None
    assert regions.outside is not None
    assert regions.streak < regions.outside  # flare lies where the mask says
