"""`semilar demo`: what `make demo` shows."""

import shutil
from pathlib import Path

import pytest
from skimage.metrics import peak_signal_noise_ratio as psnr
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.photo import find_photos, read
from tests.support.command import semilar


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `semilar demo` has left its pictures."""
    folder = tmp_path_factory.mktemp("demo")
    done = semilar("demo", "--out", folder)
    assert done.returncode == 0, done.stderr
    assert str(folder / "before-after.jpg") in done.stdout
    return folder


def test_demo_makes_restores_and_shows_pictures(demo: Path) -> None:
    assert read(demo / "before-after.jpg").size == (3 * 640, 2 * 960)
    assert "<html" in (demo / "index.html").read_text(encoding="utf-8")
    for file in find_photos(demo / "input"):
        truth = read(demo / "clean" / file.name).pixels
        before, after = (read(demo / part / file.name).pixels for part in ("input", "result"))
        assert psnr(truth, after) > psnr(truth, before) + 1
    again = CliRunner().invoke(app, ["demo", "--out", str(demo)])
    assert again.exit_code == 2
    assert "--force" in again.stderr


def test_the_demo_recipe_trains_on_what_the_demo_made(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(demo, tmp_path / "out" / "demo")
    monkeypatch.chdir(tmp_path)
    less = (f"validation.sets.{name}.count=2" for name in ("simulated", "strong"))
    done = CliRunner().invoke(app, ["train", "demo", "stages.0.steps=2", *less])
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "out/demo/run/best.safetensors").exists()
