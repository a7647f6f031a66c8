"""One sample: shapes, ranges, reproducibility."""

import subprocess
import sys

import numpy as np
import pytest

from semilar.errors import SemilarError
from semilar.flare import SynthSettings, synthesize
from semilar.flare.presets import PRESETS
from semilar.flare.scene import night_scene

SIZE = (96, 128)


@pytest.fixture(scope="module")
def scene():
    return night_scene(3, (160, 200))


@pytest.mark.parametrize("name", PRESETS)
def test_same_seed_same_bytes_and_valid_pictures(name, scene):
    settings = SynthSettings.preset(name)
    for seed in range(6):
        first = synthesize(scene, seed=seed, settings=settings, size=SIZE)
        again = synthesize(scene, seed=seed, settings=settings, size=SIZE)
        for field in ("input", "target", "flare"):
            picture = getattr(first, field)
            assert picture.shape == (*SIZE, 3)
            assert picture.dtype == np.float32
            assert np.isfinite(picture).all()
            assert 0 <= picture.min() <= picture.max() <= 1
            assert picture.tobytes() == getattr(again, field).tobytes()
        assert first.mask.shape == (*SIZE, 3)
        assert first.mask.tobytes() == again.mask.tobytes()


def test_other_seed_other_picture(scene):
    settings = SynthSettings.preset("realistic")
    one = synthesize(scene, seed=1, settings=settings, size=SIZE)
    two = synthesize(scene, seed=2, settings=settings, size=SIZE)
    assert not np.array_equal(one.input, two.input)


def test_background_smaller_than_the_crop_is_one_error():
    settings = SynthSettings.preset("realistic")
    with pytest.raises(SemilarError, match="64 x 48 pixels is smaller than the crop of 128 x 96"):
        synthesize(np.zeros((48, 64, 3), np.uint8), seed=0, settings=settings, size=SIZE)


def test_needs_numpy_and_pillow_only():
    script = (
        "import sys; import semilar.flare.batch, semilar.flare.backgrounds, semilar.cli.synth; "
        "print([name for name in ('torch', 'scipy', 'skimage') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
