"""`semilar demo`: what `make demo` shows."""

from pathlib import Path

from skimage.metrics import peak_signal_noise_ratio as psnr

from semilar.photo import find_photos, read
from tests.support.command import semilar


def test_demo_makes_restores_and_shows_pictures(tmp_path: Path) -> None:
    done = semilar("demo", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "before-after.jpg") in done.stdout
    assert read(tmp_path / "before-after.jpg").size == (3 * 640, 2 * 960)
    assert "<html" in (tmp_path / "index.html").read_text(encoding="utf-8")
    for file in find_photos(tmp_path / "input"):
        truth = read(tmp_path / "clean" / file.name).pixels
        before, after = (read(tmp_path / part / file.name).pixels for part in ("input", "result"))
        assert psnr(truth, after) > psnr(truth, before) + 1
    again = semilar("demo", "--out", tmp_path)
    assert again.returncode == 2
    assert "--force" in again.stderr


def test_the_demo_recipe_trains_on_what_the_demo_made(tmp_path: Path) -> None:
    made = semilar("demo", "--out", "out/demo", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    done = semilar("train", "demo", "stages.0.steps=2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/demo/run/best.safetensors").exists()
