"""Backgrounds of 16 bits per channel."""

from pathlib import Path

import numpy as np

from semilar import photo
from semilar.flare.plan import SynthPlan
from semilar.flare.settings import SynthSettings


def test_deep_backgrounds_are_rounded(tmp_path: Path) -> None:
    every = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    pixels = np.repeat(every[:, :, None], 3, axis=2)
    photo.write(photo.Photo(pixels=pixels), tmp_path / "every.png")
    backgrounds = (tmp_path / "every.png",)
    plan = SynthPlan(count=1, size=64, seed=0, settings=SynthSettings(), backgrounds=backgrounds)
    assert np.array_equal(plan.read_background(0), np.rint(pixels / 257))
