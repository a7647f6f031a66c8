"""`semilar remove` as a person runs it."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pillow_heif
import pytest
import tifffile
from PIL import Image, ImageOps, JpegImagePlugin
from typer.testing import CliRunner, Result

from semilar.cli.main import app
from tests.support.command import semilar
from tests.support.models import dimming_model
from tests.support.pictures import (
    camera_exif,
    camera_file,
    file_bytes,
    noise16,
    png_header,
    smooth_picture,
    srgb_profile,
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dimming_model(tmp_path_factory.mktemp("model") / "dim.onnx")


def _run(*arguments: str | Path) -> Result:
    """The command in this process: quicker than one of its own."""
    return CliRunner().invoke(app, [str(one) for one in ("remove", *arguments)])


def _photo(path: Path, **options) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(smooth_picture()).save(path, **options)
    return path


def _tables(image: Image.Image) -> list[list[int]]:
    """JPEG's quantisation tables, sorted: a picture's turn changes their order."""
    assert isinstance(image, JpegImagePlugin.JpegImageFile)
    return [sorted(table) for table in image.quantization.values()]


def test_formats_metadata_and_orientation_stay(model: Path, tmp_path: Path) -> None:
    """One run over many kinds of photo; the results are read with Pillow and tifffile alone."""
    folder = tmp_path / "in"
    notes = {"exif": camera_exif(6), "icc_profile": srgb_profile()}
    phone = _photo(folder / "phone.jpg", quality=88, dpi=(300, 300), **notes)
    _photo(folder / "sub/plain.png", dpi=(72, 72))
    _photo(folder / "web.webp", quality=90)
    picture = Image.fromarray(smooth_picture())
    picture.convert("L").save(folder / "grey.jpg")
    picture.convert("CMYK").save(folder / "print.jpg")
    picture.convert("RGBA").save(folder / "clear.png")
    picture.crop((0, 0, 33, 17)).save(folder / "odd.bmp")
    tifffile.imwrite(folder / "deep.tif", noise16(40, 52), photometric="rgb")
    done = _run(folder, "-o", tmp_path / "out", "--model", model, "--json")
    assert done.exit_code == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["restored"], summary["failed"]) == (8, 0)

    def result(name: str) -> Image.Image:
        return Image.open(tmp_path / "out" / name)

    turned = result("phone.jpg")
    upright = ImageOps.exif_transpose(Image.open(phone))
    assert turned.format == "JPEG"
    assert turned.size == upright.size == (48, 64)
    assert turned.getexif().get(0x0112, 1) == 1
    assert turned.getexif()[0x0110] == "Night Phone 3"
    assert turned.info["icc_profile"] == notes["icc_profile"]
    assert turned.info["dpi"] == (300, 300)
    assert _tables(turned) == _tables(Image.open(phone))
    ratio = np.asarray(turned).mean() / np.asarray(upright).mean()
    assert ratio == pytest.approx(0.6, abs=0.03)
    correlation = np.corrcoef(np.asarray(turned).ravel(), np.asarray(upright).ravel())[0, 1]
    assert correlation > 0.98  # turned the right way round
    assert result("grey.jpg").mode == "L"
    assert result("print.jpg").size == (64, 48)
    np.testing.assert_array_equal(
        np.asarray(result("clear.png"))[..., 3], np.asarray(picture.convert("RGBA"))[..., 3]
    )
    assert result("odd.bmp").size == (33, 17)
    assert result("sub/plain.png").info["dpi"] == pytest.approx((72, 72), abs=0.1)
    assert result("web.webp").format == "WEBP"
    deep = tifffile.imread(tmp_path / "out" / "deep.tif")
    assert (deep.shape, deep.dtype) == ((40, 52, 3), np.uint16)


def test_phone_and_camera_files(model: Path, tmp_path: Path) -> None:
    """HEIC stays HEIC; camera RAW, which nobody writes, becomes a 16-bit TIFF."""
    folder = tmp_path / "in"
    folder.mkdir()
    pillow_heif.from_pillow(Image.fromarray(smooth_picture())).save(folder / "phone.heic")
    (folder / "night.dng").write_bytes(camera_file())
    done = _run(folder, "-o", tmp_path / "out", "--model", model)
    assert done.exit_code == 0, done.stderr
    phone = pillow_heif.open_heif(tmp_path / "out" / "phone.heic")
    assert phone.size == (64, 48)
    ratio = np.asarray(phone).mean() / smooth_picture().mean()
    assert ratio == pytest.approx(0.6, abs=0.03)
    developed = tifffile.imread(tmp_path / "out" / "night.tif")
    assert developed.dtype == np.uint16


def test_beside_the_original_with_flare_and_comparison(model: Path, tmp_path: Path) -> None:
    street = _photo(tmp_path / "street.png")
    flare, both = tmp_path / "flare.png", tmp_path / "both.png"
    options = ("--model", model, "--flare-out", flare, "--compare", both, "--strength", "0.5")
    done = _run(street, *options)
    assert (done.exit_code, done.stdout.strip()) == (0, str(tmp_path / "street.deflared.png"))
    before, after = (np.asarray(Image.open(p)) for p in (street, tmp_path / "street.deflared.png"))
    compared = np.asarray(Image.open(both))
    np.testing.assert_array_equal(compared, np.concatenate([before, after], axis=1))
    assert Image.open(flare).size == (64, 48)
    again = _run(street, "--model", model)
    assert again.exit_code == 2
    assert again.stderr.strip() == (
        f"{tmp_path / 'street.deflared.png'}: already exists; use --force to replace it."
    )
    skipped = _run(street, "--model", model, "--skip-existing")
    assert skipped.exit_code == 0
    assert "skipped" in skipped.stderr
    assert _run(street, "--model", model, "--force").exit_code == 0


def test_a_file_to_standard_output(model: Path, tmp_path: Path) -> None:
    street = _photo(tmp_path / "street.jpg", quality=90)
    flare = tmp_path / "flare.png"
    command = [sys.executable, "-m", "semilar", "remove", street, "-o", "-", "--model", model]
    done = subprocess.run([*map(str, command), "--flare-out", flare], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert _run(street, "--model", model).exit_code == 0
    assert done.stdout == (tmp_path / "street.deflared.jpg").read_bytes()
    assert Image.open(flare).size == (64, 48)
    assert not (tmp_path / "-").exists()
    both = _run(street, "-o", "-", "--model", model, "--json")
    assert (both.exit_code, "leave --json out" in both.stderr) == (2, True)


def test_nothing_is_written_where_outputs_collide(model: Path, tmp_path: Path) -> None:
    one, two = (_photo(tmp_path / name / "street.png") for name in "ab")
    target, taken = tmp_path / "one.png", tmp_path / "taken"
    taken.touch()
    before = sorted(tmp_path.rglob("*"))
    for arguments, words in (
        ((one, "-o", taken), f"{taken}: is not a folder; a file's name needs a suffix"),
        ((one, two, "-o", target), f"{target}: names a file; several photos need a folder."),
        ((one, two, "--flare-out", target), f"{target}: names a file; several photos"),
        ((one, two, "-o", "-"), "-: standard output takes one photo; several need a folder."),
        ((one, "-o", target, "--compare", target), f"{target}: is to hold two results"),
    ):
        done = _run(*arguments, "--model", model)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.startswith(words)
        assert sorted(tmp_path.rglob("*")) == before
    done = _run(one, two, "-o", tmp_path / "out", "--model", model)
    assert done.exit_code == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "street-2.png",
        "street.png",
    ]
    assert "2 photos in " in done.stderr
    assert ": 2 restored." in done.stderr


def test_a_photo_without_a_suffix(model: Path, tmp_path: Path) -> None:
    _photo(tmp_path / "street.jpg").rename(tmp_path / "street")
    done = _run(tmp_path / "street", "--model", model)
    assert (done.exit_code, done.stdout.strip()) == (0, str(tmp_path / "street.deflared.jpg"))
    assert Image.open(tmp_path / "street.deflared.jpg").format == "JPEG"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
@pytest.mark.parametrize("source", ["-", "file"])
def test_a_full_disk_is_one_error(model: Path, tmp_path: Path, source: str) -> None:
    street = _photo(tmp_path / "street.png")
    given = "-" if source == "-" else str(street)
    command = [sys.executable, "-m", "semilar", "remove", given, "-o", "-", "--model", str(model)]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command, input=street.read_bytes(), stdout=full, stderr=subprocess.PIPE, text=False
        )
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "standard output: cannot be written (No space left on device).\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["info street.png", "--help", "remove --help", "--version"])
def test_words_to_a_full_disk_are_one_error(tmp_path: Path, unbuffered: str, words: str) -> None:
    _photo(tmp_path / "street.png")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "semilar", *words.split()],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 2
    assert done.stderr == b"the output: cannot be read or written (No space left on device).\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_error(unbuffered: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "semilar", "models", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        said = running.stderr.read()
    assert (running.returncode, said) == (0, b"")


def test_quiet_prints_errors_only_and_verbose_says_more(model: Path, tmp_path: Path) -> None:
    street = _photo(tmp_path / "street.png")
    text = tmp_path / "text.jpg"
    text.write_bytes(b"hello")
    command = ("remove", street, text, "-o", tmp_path / "out", "--model", model, "--force")
    for arguments in (("-q", *command), (*command, "-q")):
        done = CliRunner().invoke(app, [str(one) for one in arguments])
        assert (done.exit_code, done.stdout) == (1, "")
        assert [line.partition(":")[0] for line in done.stderr.splitlines()] == [str(text)]
    usual, more = (_run(*command[1:], *extra) for extra in ((), ("-v",)))
    added = [line for line in more.stderr.splitlines() if line not in usual.stderr]
    said = "\n".join(added)
    assert "engine onnx on cpu" in said
    assert "working size 512" in said
    assert re.search(r"street\.png: flare of \d+\.\d\d% of full light", said)
    assert re.search(r"the network saw 64 x 48; \d+\.\d\d s\.", said)
    assert "flare of" not in usual.stderr


def test_a_strength_of_nothing_and_one_of_twice_as_much(model: Path, tmp_path: Path) -> None:
    street = _photo(tmp_path / "street.png")
    nothing = _run(street, "-o", tmp_path / "0.png", "--model", model, "--strength", "0", "--json")
    assert json.loads(nothing.stdout)["unchanged"] == 1
    said = _run(street, "-o", tmp_path / "0.png", "--model", model, "--strength", "0", "--force")
    assert said.stderr == (
        f"{street}: a strength of 0 takes nothing; {tmp_path / '0.png'} gets the same picture.\n"
    )
    assert (tmp_path / "0.png").read_bytes() == street.read_bytes()
    means = [smooth_picture().mean()]
    for strength in ("1", "2"):
        target = tmp_path / f"{strength}.png"
        assert _run(street, "-o", target, "--model", model, "--strength", strength).exit_code == 0
        means.append(np.asarray(Image.open(target)).mean())
    assert means[0] > means[1] > means[2]


def test_no_flare_is_said_and_the_file_is_copied(tmp_path: Path) -> None:
    nothing = dimming_model(tmp_path / "nothing.onnx", keep=1.0)
    street = _photo(tmp_path / "street.jpg")
    done = _run(street, "--model", nothing)
    assert done.exit_code == 0
    assert "no flare found" in done.stderr
    assert (tmp_path / "street.deflared.jpg").read_bytes() == street.read_bytes()


def test_a_pipe(model: Path, tmp_path: Path) -> None:
    content = file_bytes(Image.fromarray(smooth_picture()), "PNG")
    done = subprocess.run(
        [sys.executable, "-m", "semilar", "remove", "-", "--model", str(model)],
        input=content,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    image = Image.open(io.BytesIO(done.stdout))
    assert (image.format, image.size) == ("PNG", (64, 48))
    bad = semilar("remove", "-", "--model", model, stdin=b"no picture")
    assert bad.returncode == 2
    assert bad.stderr.startswith("standard input: is not a picture")


def _bad_files(folder: Path) -> list[str]:
    """Bad input of every kind."""
    whole = file_bytes(Image.fromarray(smooth_picture(200, 300)), "JPEG")
    contents = {
        "empty.jpg": b"",
        "text.jpg": b"hello",
        "cut.jpg": whole[: len(whole) // 2],
        "bomb.png": png_header(60_000, 60_000),
        "zeros.tif": bytes(5000),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    (folder / "folder.jpg").mkdir()
    return [*contents, "gone.jpg"]


def test_a_batch_goes_on_after_bad_files(model: Path, tmp_path: Path) -> None:
    names = _bad_files(tmp_path)
    good = [_photo(tmp_path / f"good{k}.png") for k in range(2)]
    inputs = [tmp_path / name for name in names]
    done = _run(good[0], *inputs, good[1], "-o", tmp_path / "out", "--model", model)
    assert done.exit_code == 1
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["good0.png", "good1.png"]
    lines = done.stderr.strip().splitlines()
    for name in names:
        about = [line for line in lines if line.startswith(f"{tmp_path / name}: ")]
        assert len(about) == 1, (name, done.stderr)
    assert lines[-1].startswith("8 photos in ")
    assert "2 restored, 6 failed" in lines[-1]
    assert "Traceback" not in done.stderr


def test_only_bad_files_is_status_2(model: Path, tmp_path: Path) -> None:
    _bad_files(tmp_path)
    assert _run(tmp_path / "text.jpg", "--model", model).exit_code == 2
    assert _run(tmp_path / "gone.jpg", "--model", model).exit_code == 2
    nothing = _run(tmp_path / "*.heic", "--model", model)
    assert (nothing.exit_code, nothing.stderr.strip()) == (
        2,
        f"{tmp_path / '*.heic'}: there are no photos.",
    )
    assert _run().exit_code == 2
    assert _run("x.jpg", "--strength", "2.1").exit_code == 2
    unknown = _run("x.jpg", "--model", "nobody")
    assert (unknown.exit_code, "there are: semilar-t" in unknown.stderr) == (2, True)


def test_works_without_torch(model: Path, tmp_path: Path) -> None:
    street = _photo(tmp_path / "a.png")
    hidden = ("torch", "scipy", "skimage", "onnx", "openvino", "yaml")
    done = semilar("remove", street, "--model", model, without=hidden)
    assert done.returncode == 0, done.stderr
    other = semilar("remove", street, "--model", model, "--engine", "openvino", without=hidden)
    assert other.returncode == 2
    assert 'pip install "semilar[openvino]"' in other.stderr


@pytest.mark.posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_only_whole_files(
    model: Path, tmp_path: Path, number: signal.Signals
) -> None:
    source = file_bytes(Image.fromarray(smooth_picture(600, 800)), "PNG", compress_level=1)
    inputs, out = tmp_path / "in", tmp_path / "out"
    inputs.mkdir()
    for k in range(40):
        (inputs / f"{k:02}.png").write_bytes(source)
    command = [
        "remove",
        str(inputs),
        "-o",
        str(out),
        "--model",
        str(model),
        "--working-size",
        "64",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "semilar", *command],
        stderr=subprocess.PIPE,
        # a suite started in the background ignores SIGINT, and its children would inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    patience = time.monotonic() + 120
    while not (out.is_dir() and len(list(out.glob("[!.]*.png"))) > 2):  # hidden ones are not done
        assert time.monotonic() < patience
        time.sleep(0.02)
    process.send_signal(number)
    stderr = process.communicate(timeout=120)[1].decode()
    assert process.returncode == 130
    written = list(out.rglob("*"))
    assert f"{40 - len(written)} of 40 photos are left" in stderr
    assert f"{len(written)} restored, {40 - len(written)} left" in stderr
    assert 2 < len(written) < 40
    for path in written:  # no hidden leftovers either
        assert not path.name.startswith(".")
        with Image.open(path) as image:
            image.load()
            assert image.size == (800, 600)
    left = sorted(path for path in inputs.iterdir() if not (out / path.name).exists())
    for path in left[3:]:  # going on with a few of them shows as much
        path.unlink()
    rest = semilar(*command, "--skip-existing", "--json")
    summary = json.loads(rest.stdout)
    assert summary["skipped"] == len(written)
    assert summary["restored"] == len(left[:3]) > 0
