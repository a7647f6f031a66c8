"""The model in the box: there, small, the same in every engine, helpful, and harmless."""

import hashlib
import json
from functools import lru_cache

import numpy as np
import pytest
from skimage.metrics import peak_signal_noise_ratio as psnr

from semilar.flare import Sample, SynthSettings, synthesize
from semilar.flare.scene import night_scene
from semilar.restore import Remover
from semilar.weights import bundled

SIZE = 256, 320
NAME = "semilar-t"


def codes(encoded: np.ndarray) -> np.ndarray:
    return np.rint(encoded * 255).astype(np.uint8)


@lru_cache(maxsize=1)
def remover() -> Remover:
    return Remover(threads=1)


def night(seed: int, preset: str) -> Sample:
    """A night scene that no training saw."""
    return synthesize(
        night_scene(seed, SIZE), seed=seed, settings=SynthSettings.preset(preset), size=SIZE
    )


def test_files_are_those_of_the_card_and_small() -> None:
    card = json.loads(bundled(NAME, suffix=".json").read_text())
    files = [bundled(NAME, suffix=suffix) for suffix in (".onnx", ".safetensors")]
    for file in files:
        assert hashlib.sha256(file.read_bytes()).hexdigest() == card["sha256"][file.name]
    assert sum(file.stat().st_size for file in files) < 20e6
    assert card["parameters"] <= 5e6
    assert {"file", "licence", "author", "link"} <= set(card["photographs"][0])


@pytest.mark.parametrize("engine", ["torch", "openvino"])
def test_engines_agree(engine: str) -> None:
    picture = codes(night(5, "strong").input)
    ours = remover().remove(picture).image.astype(int)
    other = Remover(engine=engine, threads=1).remove(picture).image.astype(int)
    assert np.abs(ours - other).max() <= 1


def test_strong_flare_gets_weaker() -> None:
    gains = []
    for seed in range(100, 112):
        sample = night(seed, "strong")
        before, truth = codes(sample.input), codes(sample.target)
        if psnr(truth, before) < 32:
            gains.append(psnr(truth, remover().remove(before).image) - psnr(truth, before))
    assert len(gains) >= 4
    assert np.mean(gains) > 1.0


def test_scenes_without_flare_are_left_alone() -> None:
    scores = []
    for seed in range(200, 206):
        clean = codes(night(seed, "strong").target)
        after = remover().remove(clean).image
        scores.append(100.0 if np.array_equal(after, clean) else psnr(clean, after))
    assert np.mean(scores) > 40
