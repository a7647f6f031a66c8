"""`semilar remove` and photos of unusual kinds: animations, GPS, CMYK, floats."""

import io
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image
from typer.testing import CliRunner, Result

from semilar.cli.main import app
from tests.support.models import dimming_model
from tests.support.pictures import camera_exif, file_bytes, smooth_picture

PICTURE = Image.fromarray(smooth_picture())


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dimming_model(tmp_path_factory.mktemp("model") / "dim.onnx")


def _run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(one) for one in ("remove", *arguments)], input=stdin)


def test_an_animation_is_refused_unless_the_first_frame_is_asked_for(
    model: Path, tmp_path: Path
) -> None:
    source, target = tmp_path / "turning.webp", tmp_path / "out.webp"
    PICTURE.save(source, save_all=True, append_images=[PICTURE.rotate(90)])
    refused = _run(source, "-o", target, "--model", model)
    assert refused.exit_code == 2
    assert refused.stderr.count("\n") == 1
    assert "turning.webp: holds 2 frames" in refused.stderr
    assert "take the first with --first-frame" in refused.stderr
    assert not target.exists()
    taken = _run(source, "-o", target, "--model", model, "--first-frame")
    assert taken.exit_code == 0
    assert "turning.webp: holds 2 frames; only the first is used." in taken.stderr
    with Image.open(target) as after:
        assert getattr(after, "n_frames", 1) == 1


@pytest.mark.parametrize("keep", [0.6, 1.0])
def test_gps_is_stripped_whether_flare_is_found_or_not(tmp_path: Path, keep: float) -> None:
    source = tmp_path / "street.jpg"
    PICTURE.save(source, exif=camera_exif())
    outputs = [tmp_path / name for name in ("out.jpg", "flare.png", "both.tif")]
    dim = dimming_model(tmp_path / "dim.onnx", keep=keep)
    extra = ("--flare-out", outputs[1], "--compare", outputs[2])
    assert _run(source, "-o", outputs[0], "--model", dim, "--strip-gps", *extra).exit_code == 0
    for path in outputs:
        with Image.open(path) as after:
            assert after.getexif()[0x0110] == "Night Phone 3"
            assert not after.getexif().get_ifd(0x8825)
    with Image.open(source) as before:
        assert before.getexif().get_ifd(0x8825)[1] == "N"


def test_conversions_are_said_in_a_pipe_too(model: Path, tmp_path: Path) -> None:
    source = tmp_path / "print.jpg"
    PICTURE.convert("CMYK").save(source)
    done = _run(source, "--model", model)
    assert (done.exit_code, "print.jpg: is CMYK; its restored copy is RGB." in done.stderr) == (
        0,
        True,
    )
    piped = _run("-", "--model", model, stdin=source.read_bytes())
    assert "standard input: is CMYK; its restored copy is RGB." in piped.stderr


def test_lost_transparency_is_said(model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(file_bytes(PICTURE.convert("RGBA"), "PNG"))
    done = _run(tmp_path / "a.png", "-o", tmp_path / "a.jpg", "--model", model)
    assert done.exit_code == 0
    assert "JPEG has no transparency" in done.stderr.replace("\n", " ")


def test_a_float_tiff_is_restored(model: Path, tmp_path: Path) -> None:
    pixels = smooth_picture().astype(np.float32) / 255
    tifffile.imwrite(tmp_path / "a.tif", pixels, photometric="rgb")
    done = _run(tmp_path / "a.tif", "--model", model)
    assert done.exit_code == 0, done.stderr
    after = tifffile.imread(io.BytesIO((tmp_path / "a.deflared.tif").read_bytes()))
    assert after.dtype == np.float32
    assert after.mean() < 0.9 * pixels.mean()
