"""The wheel is the product: what is in it, and what a person can do with nothing else."""

import contextlib
import json
import shlex
import shutil
import socket
import tarfile
import time
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from semilar.recipes import recipe_names
from tests.docs import samples
from tests.docs.pages import ROOT, blocks
from tests.wheel.environment import Environment, build, need_index

LARGEST_BASE = 250  # MB on disk
LARGEST_WHEEL = 20  # MB


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample files of the documentation."""
    folder = tmp_path_factory.mktemp("samples")
    samples.fill(folder)
    return folder


@pytest.fixture(scope="module")
def base(
    built: tuple[Path, Path], photos: Path, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    """The wheel without extras, and the sample files of the documentation."""
    need_index()
    environment = Environment(tmp_path_factory.mktemp("user"))
    environment.install(str(built[0]))
    shutil.copytree(photos, environment.work, dirs_exist_ok=True)
    return environment


@pytest.fixture(scope="module")
def python_example() -> str:
    """The first Python block of the README."""
    return next(b.code for b in blocks(ROOT / "README.md") if b.language == "python")


def test_the_wheel_holds_the_package_and_nothing_else(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[0]) as archive:
        names = set(archive.namelist())
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"semilar"}
    tracked = {path.relative_to(ROOT / "src").as_posix() for path in _sources()}
    assert {name for name in names if name.startswith("semilar/")} == tracked
    assert {f"semilar/recipes/{name}.yaml" for name in recipe_names()} <= names
    assert {f"semilar/weights/bundled/semilar-t.{end}" for end in ("onnx", "json")} <= names
    assert {"semilar/serve/page/index.html", "semilar/py.typed"} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert built[0].stat().st_size < LARGEST_WHEEL * 1e6


def _sources() -> list[Path]:
    files = [path for path in (ROOT / "src" / "semilar").rglob("*") if path.is_file()]
    return [path for path in files if "__pycache__" not in path.parts]


def test_the_sdist_builds_the_same_wheel(built: tuple[Path, Path], tmp_path: Path) -> None:
    with tarfile.open(built[1]) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    for name in ("pyproject.toml", "constraints.txt", "LICENSE", "Makefile", "tests", "docs"):
        assert (source / name).exists(), name
    with zipfile.ZipFile(built[0]) as archive:
        for name in archive.namelist():
            if name.startswith("semilar/"):
                assert (source / "src" / name).read_bytes() == archive.read(name), name


def test_the_base_install_is_small_and_without_torch(base: Environment) -> None:
    found = {path.name for path in base.packages().iterdir()}
    assert "semilar" in found
    assert not found & {"torch", "scipy", "skimage", "fastapi", "yaml", "tests", "recipes"}
    assert base.megabytes() < LARGEST_BASE


def test_a_person_with_the_base_install(base: Environment, python_example: str) -> None:
    assert base.run("semilar", "--version").startswith("semilar ")
    base.run("semilar", "remove", "street.jpg")
    before, after = (_pixels(base.work / f"street{part}.jpg") for part in ("", ".deflared"))
    assert before.shape == after.shape
    assert not np.array_equal(before, after)
    base.run("python", "-c", python_example)
    assert base.run("semilar", "models").startswith("model")
    assert (base.work / "clean.jpg").exists()
    where = base.run("python", "-c", "import semilar; print(semilar.__file__)")
    assert Path(where.strip()).is_relative_to(base.folder), "the wheel, not the checkout"


def _pixels(file: Path) -> np.ndarray:
    with Image.open(file) as picture:
        return np.asarray(picture)


@pytest.mark.slow
def test_a_person_with_the_service(built: tuple[Path, Path], base: Environment) -> None:
    base.install(f"{built[0]}[serve]")
    base.run("semilar", "remove", "street.jpg", "-o", "expected.jpg", "--force")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = base.start("semilar", "serve", "--port", str(port))
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(f"{address}/readyz")
        page = urllib.request.urlopen(f"{address}/", timeout=10).read()
        assert b"<html" in page
        photo = (base.work / "street.jpg").read_bytes()
        request = urllib.request.Request(
            f"{address}/v1/remove", photo, {"Content-Type": "image/jpeg"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert answer.read() == (base.work / "expected.jpg").read_bytes()
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _wait(address: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(address, timeout=5).close()
            return
        assert time.monotonic() < end, f"{address}: no answer"
        time.sleep(0.2)


@pytest.mark.slow
def test_a_person_who_trains(built: tuple[Path, Path], base: Environment) -> None:
    """`semilar train own-photos` with a folder of flared photos, a few steps of it."""
    base.install(f"{built[0]}[train]")
    few = ("stages.0.steps=3", "semi.start_epoch=0", "validation.every=3")
    less = (f"validation.sets.{name}.count=2" for name in ("simulated", "strong"))
    any_model = "validation.beat_start=false"  # three steps seldom make a better one
    base.run("semilar", "train", "own-photos", "semi.photos.folder=FLARED", any_model, *few, *less)
    run = base.work / "runs" / "own-photos"
    assert (run / "best.safetensors").exists()
    stats = json.loads(base.run("semilar", "repository", "stats", "runs/own-photos", "--json"))
    assert 4 <= stats["photos"] < 6  # chosen by name, one or two are held out
    names = base.run("semilar", "models")
    assert "raliformer-t" in names
    own = ("remove", "street.jpg", "-o", "own.jpg", "--engine", "torch")
    base.run("semilar", *own, "--model", "runs/own-photos/best.safetensors")
    assert (base.work / "own.jpg").exists()


# What a person does who has asked for an extra, and what comes of it.
OTHER_EXTRAS = {
    "openvino": ("semilar remove street.jpg -o clean.jpg --engine openvino", "clean.jpg"),
    "heif": ("semilar remove street.jpg -o clean.heic", "clean.heic"),
    "raw": ("python -c 'import rawpy, semilar'", "street.jpg"),
    "bulk": ("semilar bulk holiday -o clean --workers 1", "clean/photo-0.jpg"),
    "docs": ("python -m mkdocs --version", "street.jpg"),
}


def test_no_extra_is_forgotten() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    used = {"serve", "train", "dev", "experiment", *OTHER_EXTRAS}  # experiment is train and more
    assert set(project["optional-dependencies"]) == used


@pytest.mark.slow
@pytest.mark.parametrize("extra", OTHER_EXTRAS)
def test_a_person_with_another_extra(
    extra: str, built: tuple[Path, Path], photos: Path, tmp_path: Path
) -> None:
    need_index()
    environment = Environment(tmp_path)
    environment.install(f"{built[0]}[{extra}]")
    shutil.copytree(photos, environment.work, dirs_exist_ok=True)
    command, result = OTHER_EXTRAS[extra]
    environment.run(*shlex.split(command))
    assert (environment.work / result).exists()
    assert not (environment.packages() / "torch").exists()
    shutil.rmtree(environment.folder / "env")
