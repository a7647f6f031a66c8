"""`semilar watch`, with a real clock."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

from tests.support.command import semilar
from tests.support.models import dimming_model
from tests.support.pictures import camera_exif, file_bytes, smooth_picture


def _wait_for(path: Path, process: subprocess.Popen) -> None:
    patience = time.monotonic() + 120
    while not path.exists():
        assert process.poll() is None
        assert time.monotonic() < patience
        time.sleep(0.05)


@pytest.mark.posix
def test_photos_are_restored_when_they_are_whole(tmp_path: Path) -> None:
    model = dimming_model(tmp_path / "dim.onnx")
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    content = file_bytes(Image.fromarray(smooth_picture()), "PNG", exif=camera_exif())
    (source / "first.png").write_bytes(content)
    (source / "bad.jpg").write_bytes(b"no picture")
    options = ["--model", str(model), "--settle", "0.4", "--workers", "2"]
    options += ["--strip-gps", "--first-frame"]
    process = subprocess.Popen(
        [sys.executable, "-m", "semilar", "watch", str(source), str(target), *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    _wait_for(target / "first.png", process)
    half = len(content) // 2
    with (source / "slow.png").open("wb") as stream:  # written in pieces, never at rest for long
        for start in range(0, len(content), half // 4):
            stream.write(content[start : start + half // 4])
            stream.flush()
            assert not (target / "slow.png").exists()
            time.sleep(0.15)
    _wait_for(target / "slow.png", process)
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 0
    assert stderr.count("bad.jpg: is not a picture") == 1
    assert "slow.png: " not in stderr
    for name in ("first.png", "slow.png"):
        with Image.open(target / name) as image:
            assert image.size == (64, 48)
            assert image.getexif()[0x0110] == "Night Phone 3"
            assert not image.getexif().get_ifd(0x8825)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    done = semilar("watch", tmp_path / "gone", tmp_path / "out", "--model", "x.onnx")
    assert done.returncode == 2
    assert done.stderr.strip() == f"{tmp_path / 'gone'}: there is no such folder."
