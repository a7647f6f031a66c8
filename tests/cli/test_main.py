"""The group of verbs: help, version, exit status, and what it does not import."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from typer.main import get_command
from typer.testing import CliRunner

import semilar as package
from semilar import photo
from semilar.cli.main import app
from tests.support.command import semilar
from tests.support.pictures import camera_exif, file_bytes, smooth_picture

HEAVY = {"torch", "onnxruntime", "openvino", "skimage", "scipy", "fastapi", "lightning"}


def imported_by(code: str) -> set[str]:
    """Top-level packages in `sys.modules` after running `code` in a new interpreter."""
    script = f"import sys, io, contextlib\n{code}\nprint(*sys.modules, file=sys.__stdout__)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return {name.partition(".")[0] for name in done.stdout.splitlines()[-1].split()}


def test_import_of_the_package_is_light() -> None:
    assert not imported_by("import semilar") & (HEAVY | {"PIL", "numpy", "typer", "rich"})


def test_help_imports_nothing_heavy() -> None:
    code = """
from semilar.cli.main import run
sys.argv = ["semilar", "--help"]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    run()
"""
    assert not imported_by(code) & HEAVY


def verbs() -> list[list[str]]:
    """Every verb, those of groups included, as the words one types."""
    found = []

    def walk(command: object, words: list[str]) -> None:
        children = getattr(command, "commands", None)
        if children is None:
            found.append(words)
        else:
            for name, child in children.items():
                walk(child, [*words, name])

    walk(get_command(app), [])
    return found


@pytest.mark.parametrize("words", verbs(), ids=" ".join)
def test_every_verb_has_help_with_an_example(words: list[str]) -> None:
    runner = CliRunner()
    result = runner.invoke(app, [*words, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert f"semilar {' '.join(words)}" in result.output.partition("Example")[2], result.output
    assert "<bool>" not in result.output
    usage = result.output.partition("Usage: ")[2].partition("\n")[0]
    assert not set("{}") & set(usage), usage
    assert "--quiet" in result.output


def test_usage_is_written_as_in_manuals() -> None:
    for verb, usage in (
        ("remove", "semilar remove [OPTIONS] IN..."),
        ("train", "semilar train [OPTIONS] RECIPE [CHANGES...]"),
        ("watch", "semilar watch [OPTIONS] IN OUT"),
    ):
        output = CliRunner().invoke(app, [verb, "--help"]).output
        assert output.partition("Usage: ")[2].partition("\n")[0].strip() == usage


def test_version() -> None:
    assert semilar("--version").stdout == f"semilar {package.__version__}\n"


def test_no_such_verb_and_no_such_option() -> None:
    assert semilar("polish").returncode == 2
    assert semilar("info", "--loudly", "x.jpg").returncode == 2


def test_info_tells_what_the_file_holds(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(
        file_bytes(Image.fromarray(smooth_picture()), "JPEG", exif=camera_exif(6), dpi=(72, 72))
    )
    done = semilar("info", "--json", path)
    (row,) = json.loads(done.stdout)
    assert (row["width"], row["height"], row["bits"], row["format"]) == (48, 64, 8, "JPEG")
    assert row["exif_bytes"] == len(photo.read(path).metadata.exif or b"")
    assert "JPEG 48 x 64, 8 bit" in semilar("info", path).stdout


def test_status_tells_whether_all_some_or_none_worked(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.png", tmp_path / "bad.png"
    good.write_bytes(file_bytes(Image.fromarray(smooth_picture()), "PNG"))
    bad.write_bytes(b"no picture")
    assert semilar("info", good).returncode == 0
    some = semilar("info", good, bad)
    assert some.returncode == 1
    assert "good.png" in some.stdout
    assert "bad.png: is not a picture" in some.stderr
    assert semilar("info", bad).returncode == 2
    assert "Traceback" not in some.stderr


@pytest.mark.parametrize(
    ("name", "package_name", "extra"),
    [("a.heic", "pillow_heif", "heif"), ("a.dng", "rawpy", "raw")],
)
def test_missing_extra_prints_the_pip_line(
    tmp_path: Path, name: str, package_name: str, extra: str
) -> None:
    content = photo.encode(photo.Photo(pixels=smooth_picture()), format="HEIF")
    (tmp_path / name).write_bytes(content)
    done = semilar("info", tmp_path / name, without=(package_name,))
    assert done.returncode == 2
    assert f'pip install "semilar[{extra}]"' in done.stderr


def test_training_verb_without_torch_prints_the_pip_line(tmp_path: Path) -> None:
    recipe = tmp_path / "r.yaml"
    recipe.write_text("name: x\n")
    done = semilar("train", recipe, without=("torch",))
    assert done.returncode == 2
    assert 'pip install "semilar[train]"' in done.stderr
