"""Files nobody should have sent: one line with the name, and nothing half-written."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from PIL import Image

from semilar import photo
from semilar.errors import MissingExtraError, OutputExistsError
from semilar.photo import PhotoError
from tests.support.command import semilar
from tests.support.pictures import file_bytes, png_header, smooth_picture

GOOD = file_bytes(Image.fromarray(smooth_picture()), "JPEG")


def tiff_of(values: np.ndarray, **options: Any) -> bytes:
    stream = io.BytesIO()
    tifffile.imwrite(stream, values, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.jpg", b"", "is empty"),
        ("cut.jpg", GOOD[: len(GOOD) // 2], "damaged JPEG"),
        ("notes.jpg", b"dear diary, it was dark " * 9, "not a picture"),
        ("page.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "not a picture"),
        ("old.gif", b"GIF89a" + bytes(40), "not a picture"),
        ("print.eps", b"%!PS-Adobe-3.0 EPSF-3.0\n" + bytes(40), "not a picture"),
        ("huge.png", png_header(30_000, 30_000), "more than the limit of 200,000,000"),
        ("nan.tif", tiff_of(np.full((8, 8), np.nan, np.float32)), "not finite"),
        ("wide.tif", tiff_of(np.zeros((8, 8), np.uint64)), "64 bits per channel are not supported"),
        ("cut.tif", tiff_of(np.zeros((8, 8), np.float32))[:300], "damaged TIFF"),
        ("shot.dng", b"not from a camera", "camera file"),
    ],
)
def test_one_line_with_the_name(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PhotoError) as caught:
        photo.read(tmp_path / name)
    message = str(caught.value)
    assert name in message
    assert reason in message
    assert "\n" not in message


def test_a_missing_extra_names_file_and_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    heic = file_bytes(Image.fromarray(smooth_picture()), "AVIF").replace(b"ftypavif", b"ftypheic")
    heic = heic[:16] + b"mif1" * 4 + heic[32:]
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    monkeypatch.setitem(sys.modules, "rawpy", None)
    for name, extra in (("night.heic", "heif"), ("night.dng", "raw")):
        with pytest.raises(MissingExtraError, match=rf"^night\..*semilar\[{extra}\]"):
            photo.read(heic, name=name)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(PhotoError, match=r"gone\.jpg: there is no such file"):
        photo.read(tmp_path / "gone.jpg")
    with pytest.raises(PhotoError, match="is a folder"):
        photo.read(tmp_path)


def test_pixel_limit_is_settable_and_checked_before_decoding() -> None:
    with pytest.raises(PhotoError, match="more than the limit of 1,000"):
        photo.read(GOOD[:700], max_pixels=1000)  # cut before the pixels: decoding would complain
    assert photo.read(GOOD, max_pixels=64 * 48).size == (48, 64)


def test_a_png_named_jpg_is_read_and_said() -> None:
    content = file_bytes(Image.fromarray(smooth_picture()), "PNG")
    shot = photo.read(content, name="street.jpg")
    assert shot.format == "PNG"
    assert shot.notes == ("street.jpg: is a PNG file in spite of its name.",)


def test_nothing_is_replaced_without_force(tmp_path: Path) -> None:
    target = tmp_path / "street.jpg"
    target.write_bytes(GOOD)
    shot = photo.read(target)
    dark = shot.with_pixels(shot.pixels // 2)
    with pytest.raises(OutputExistsError, match=r"street\.jpg: already exists\.$"):
        photo.write(dark, target)
    assert target.read_bytes() == GOOD
    photo.write(dark, target, force=True)
    assert photo.read(target).pixels.mean() < 0.6 * shot.pixels.mean()
    assert [path.name for path in tmp_path.iterdir()] == ["street.jpg"]


@pytest.mark.parametrize(
    ("name", "reason"), [("a.xyz", "cannot write .xyz"), ("a.gif", "cannot write .gif")]
)
def test_unknown_suffix(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(PhotoError, match=reason):
        photo.write(photo.read(GOOD), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.posix
def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """A file size limit stands in for the full disk: the write fails half-way, for real."""
    script = f"""
import resource, signal
from pathlib import Path
from semilar import photo
from semilar.errors import SemilarError
import numpy as np
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
shot = photo.Photo(pixels=np.random.default_rng(0).integers(0, 256, (99, 99, 3), dtype=np.uint8))
try:
    photo.write(shot, Path({str(tmp_path)!r}) / "out.png")
except SemilarError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "out.png: cannot be written (File too large)" in done.stdout
    assert not list(tmp_path.iterdir())


def test_find_photos_is_recursive_sorted_and_passes_hidden(tmp_path: Path) -> None:
    for name in ("b.JPG", "a/c.png", "a/.thumbs/x.png", "notes.txt", ".a.part.jpg"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [path.relative_to(tmp_path).as_posix() for path in photo.find_photos(tmp_path)]
    assert found == ["a/c.png", "b.JPG"]
    with pytest.raises(PhotoError, match="no such folder"):
        photo.find_photos(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "content", "package", "extra"),
    [
        ("phone.heic", b"\0\0\0\x18ftypheic" + bytes(40), "pillow_heif", "heif"),
        ("shot.dng", b"II*\0" + bytes(40), "rawpy", "raw"),
    ],
)
def test_a_missing_extra_names_the_file(
    tmp_path: Path, name: str, content: bytes, package: str, extra: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = semilar("remove", tmp_path / name, without=(package,))
    assert done.returncode == 2
    assert done.stderr.startswith(f"{tmp_path / name}: ")
    assert f"needs {package}" in done.stderr
    assert f'pip install "semilar[{extra}]"' in done.stderr
