"""The example does what it says."""

import subprocess
import sys
from pathlib import Path

from PIL import Image

from tests.support.models import dimming_model
from tests.support.pictures import smooth_picture

EXAMPLE = Path(__file__).parents[2] / "examples" / "remove.py"


def test_the_example_runs(tmp_path: Path) -> None:
    model = dimming_model(tmp_path / "dim.onnx")
    street = tmp_path / "street.png"
    Image.fromarray(smooth_picture()).save(street)
    command = [sys.executable, EXAMPLE, street, model]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"restored: {tmp_path / 'street.deflared.png'}",
        "flare found: strong; the network saw (48, 64)",
        "changed with half strength in the left half: 50% of the pixels",
    ]
    assert Image.open(tmp_path / "flare.png").size == (64, 48)
