"""Memory: of one large photo, and of many in a row."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from PIL import Image

from semilar import photo as photos
from semilar.restore import Remover
from tests.support.models import dimming_model
from tests.support.pictures import file_bytes, smooth_picture

_PEAK = """
import resource, sys
from semilar import photo
from semilar.restore import Remover
remover = Remover(model=sys.argv[1], threads=1)
idle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = remover.remove(photo.read(sys.argv[2]))
assert result.found
photo.encode(result.image)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - idle) / 1024)
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
