"""Memory: of one large photo, and of many in a row."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image
from tools.judge_model import time_and_memory

from semilar import photo as photos
from semilar.flare import SynthSettings, synthesize
from semilar.flare.backgrounds import builtin_backgrounds
from semilar.restore import Remover
from tests.support.models import dimming_model
from tests.support.pictures import file_bytes, smooth_picture

_PEAK = """
import sys
from pathlib import Path
from semilar import photo
from semilar.restore import Remover

def peak():  # not ru_maxrss: that counts what the program that started this one had held
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])

remover = Remover(model=sys.argv[1], threads=1)
idle = peak()
result = remover.remove(photo.read(sys.argv[2]))
assert result.found
photo.encode(result.image)
print((peak() - idle) / 1024)
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dimming_model(tmp_path_factory.mktemp("model") / "dim.onnx")


@pytest.mark.linux
@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "most"), [((4000, 3000), 700), ((12_250, 8165), 3 * 1024)], ids=["12 MP", "100 MP"]
)
def test_peak_above_idle(model: Path, tmp_path: Path, size: tuple[int, int], most: int) -> None:
    path = tmp_path / "large.jpg"
    Image.fromarray(smooth_picture(100, 130)).resize(size).save(path, quality=90)
    command = [sys.executable, "-c", _PEAK, str(model), str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < most


@pytest.mark.linux
@pytest.mark.slow
def test_the_command_takes_at_most_350_mebibytes_for_12_megapixels(tmp_path: Path) -> None:
    settings = replace(SynthSettings.preset("strong"), flare_free=0.0)
    sample = synthesize(builtin_backgrounds()[0], seed=3, settings=settings, size=(300, 400))
    flared = Image.fromarray(np.rint(sample.input * 255).astype(np.uint8))
    flared.resize((4000, 3000)).save(tmp_path / "large.jpg", quality=92)
    command = Path(sys.executable).with_name("semilar"), "remove", tmp_path / "large.jpg"
    _, mebibytes = time_and_memory(*command, "-o", tmp_path / "clean.jpg")
    assert (tmp_path / "clean.jpg").read_bytes() != (tmp_path / "large.jpg").read_bytes()
    assert mebibytes < 350


_GIVEN_BACK = """
from pathlib import Path
from semilar.threads import give_back_freed_memory

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

blocks = [b"x" * 100_000 for _ in range(1000)]
last = blocks[-1]  # what was freed below it does not go by itself
blocks.clear()
before = resident()
give_back_freed_memory()
print(before - resident())
"""


@pytest.mark.linux
def test_freed_memory_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", _GIVEN_BACK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 80


def _grown(model: Path, photos_in_all: int) -> float:
    """Memory at the end over memory after the first ten photos, of changing sizes."""
    remover = Remover(model=model, threads=1, working_size=96)
    files = [
        file_bytes(Image.fromarray(smooth_picture(100 + 40 * k, 150 + 20 * k)), kind)
        for k in range(5)
        for kind in ("JPEG", "PNG")
    ]
    process = psutil.Process()
    early = 0
    for count in range(photos_in_all):
        result = remover.remove(photos.read(files[count % len(files)]))
        photos.encode(result.image)
        if count == 9:
            early = process.memory_info().rss
    return process.memory_info().rss / early


@pytest.mark.linux
def test_memory_does_not_grow(model: Path) -> None:
    assert _grown(model, 60) < 1.05


@pytest.mark.linux
@pytest.mark.slow
def test_memory_after_a_thousand_photos(model: Path) -> None:
    assert _grown(model, 1000) < 1.05
