"""`semilar evaluate` and `semilar benchmark` as a person runs them."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.quality import psnr
from semilar.restore import Remover
from semilar.weights.cache import cached
from tests.evaluate.conftest import COUNT, save, truth_of, with_flare
from tests.support.command import semilar
from tests.support.models import dimming_model

runner = CliRunner()


@pytest.fixture(autouse=True)
def no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No LPIPS weights, whatever this computer has."""
    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path / "home"))


def _evaluate(folders: dict[str, Path], *more: str):
    given = ["--input", str(folders["result"]), "--gt", str(folders["truth"]), "-j", "1"]
    return runner.invoke(app, ["evaluate", *given, *more])


def test_the_table(folders: dict[str, Path]) -> None:
    result = _evaluate(
        folders, "--mask", str(folders["mask"]), "--baseline", str(folders["baseline"])
    )
    assert result.exit_code == 0, result.stderr
    for words in ("G-PSNR (dB)", "challenge score", "result minus baseline", "6 of 6", "worst 10"):
        assert words in result.stdout
    assert "LPIPS" not in result.stdout
    assert result.stderr.count("LPIPS is left out") == 1
    assert "semilar weights fetch alexnet" in result.stderr


def test_lpips_that_was_asked_for_must_work(folders: dict[str, Path]) -> None:
    result = _evaluate(folders, "--lpips")
    assert result.exit_code == 2
    assert "semilar weights fetch alexnet" in result.stderr
    assert result.stdout == ""


def test_without_torch_nobody_is_asked_for_weights(folders: dict[str, Path]) -> None:
    done = semilar(
        "evaluate", "--input", folders["result"], "--gt", folders["truth"], "--lpips",
        without=("torch",),
    )  # fmt: skip
    assert done.returncode == 2
    assert 'pip install "semilar[train]"' in done.stderr
    assert "weights" not in done.stderr


def test_lpips_names_its_convention(folders: dict[str, Path]) -> None:
    """With weights in the cache both conventions are columns of their own."""
    from safetensors.numpy import save_file

    from semilar.quality.lpips import shared_lpips
    from semilar.weights.layouts import SHAPES

    rng = np.random.default_rng(0)
    cached("alexnet").parent.mkdir(parents=True)
    for name in ("alexnet", "lpips-alex"):
        tensors = {k: rng.random(s).astype(np.float32) for k, s in SHAPES[name].items()}
        save_file(tensors, cached(name))
    shared_lpips.cache_clear()
    result = _evaluate(folders, "--json")
    shared_lpips.cache_clear()
    assert result.exit_code == 0, result.stderr
    metrics = json.loads(result.stdout)["metrics"]
    assert metrics["lpips_published"]["label"] == "LPIPS [0,1] as published"
    assert metrics["lpips_intended"]["label"] == "LPIPS [-1,1] as intended"
    assert not metrics["lpips_published"]["higher_is_better"]


def test_files_are_written_and_not_overwritten(folders: dict[str, Path], tmp_path: Path) -> None:
    options = ["--out", str(tmp_path / "out"), "--report", str(tmp_path / "page.html")]
    assert _evaluate(folders, *options).exit_code == 0
    facts = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert facts["pictures"] == COUNT
    assert (tmp_path / "out" / "evaluation.csv").read_text().startswith("picture,role,psnr,ssim")
    again = _evaluate(folders, *options)  # its own results: nothing is lost
    assert again.exit_code == 0, again.stderr
    assert json.loads((tmp_path / "out" / "evaluation.json").read_text()) == facts
    others = folders | {"result": folders["untouched"]}
    for given in (options, options[2:]):
        other = _evaluate(others, *given)
        assert other.exit_code == 2
        assert "already exists and is about something else; use --force" in other.stderr
    assert json.loads((tmp_path / "out" / "evaluation.json").read_text()) == facts
    assert _evaluate(others, *options, "--force").exit_code == 0


def test_a_missing_partner_is_named(folders: dict[str, Path]) -> None:
    (folders["result"] / "004.png").unlink()
    result = _evaluate(folders)
    assert result.exit_code == 2
    assert "gt_004.png" in result.stderr
    assert "Traceback" not in result.stderr


def test_without_the_training_extra(folders: dict[str, Path]) -> None:
    """The base install evaluates: no torch, no scikit-image, no SciPy."""
    done = semilar(
        "evaluate", "--input", folders["result"], "--gt", folders["truth"], "--json", "-j1",
        without=("torch", "scipy", "skimage"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pictures"] == COUNT


def _layout(tmp_path: Path, folders: dict[str, Path]) -> Path:
    data = tmp_path / "data" / "test_data" / "real"
    data.mkdir(parents=True)
    for role, name in (("untouched", "input"), ("truth", "gt"), ("mask", "mask")):
        folders[role].rename(data / name)
    return tmp_path / "data"


def test_benchmark_of_the_untouched_input(folders: dict[str, Path], tmp_path: Path) -> None:
    data = _layout(tmp_path, folders)
    out = tmp_path / "out"
    result = runner.invoke(
        app,
        ["benchmark", "--model", "none", "--data", str(data), "--out", str(out), "--json", "-j1"],
    )
    assert result.exit_code == 0, result.stderr
    means = json.loads(result.stdout)["test_data/real"]["means"]
    assert set(means) == {"result"}
    assert means["result"]["psnr"]["value"] < 30
    assert (out / "test_data/real/evaluation.csv").exists()
    assert not (out / "test_data/real/restored").exists()


def test_benchmark_restores_goes_on_and_guards_its_folder(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    data, out = _layout(tmp_path, folders), tmp_path / "out"
    model = dimming_model(tmp_path / "dim.onnx")
    command = ["benchmark", "--model", str(model), "--data", str(data), "--out", str(out)]
    command += ["-j", "1", "--json"]
    result = runner.invoke(app, [*command, "--report"])
    assert result.exit_code == 0, result.stderr
    facts = json.loads(result.stdout)["test_data/real"]
    assert set(facts["means"]) == {"result", "untouched"}
    restored = sorted((out / "test_data/real/restored").iterdir())
    assert [file.name for file in restored] == [f"{i:03}.png" for i in range(COUNT)]
    expected = Remover(model=model).remove(with_flare(4, 1.0)).image
    np.testing.assert_array_equal(np.asarray(Image.open(restored[4])), expected)
    assert facts["rows"][4]["result"]["psnr"] == pytest.approx(psnr(expected, truth_of(4)))
    assert (out / "test_data/real/report.html").exists()

    (out / "test_data/real/evaluation.json").unlink()  # as if it had been stopped
    restored[2].unlink()
    times = {file: file.stat().st_mtime_ns for file in restored if file.exists()}
    again = runner.invoke(app, command)
    assert json.loads(again.stdout)["test_data/real"]["means"] == facts["means"]
    assert {file: file.stat().st_mtime_ns for file in times} == times
    assert restored[2].exists()

    dimming_model(model, keep=0.9)
    (out / "test_data/real/evaluation.json").unlink()
    other = runner.invoke(app, command)
    assert other.exit_code == 2
    assert "use --force to replace it" in other.stderr
    assert runner.invoke(app, [*command, "--force"]).exit_code == 0


def test_raw_measures_the_network_alone(folders: dict[str, Path], tmp_path: Path) -> None:
    """By hand: the picture times 0.6 is what that network gives."""
    data, out = _layout(tmp_path, folders), tmp_path / "out"
    model = dimming_model(tmp_path / "dim.onnx")
    command = ["benchmark", "--model", str(model), "--data", str(data), "--out", str(out)]
    result = runner.invoke(app, [*command, "-j", "1", "--json", "--raw"])
    assert result.exit_code == 0, result.stderr
    facts = json.loads(result.stdout)["test_data/real"]
    for i in range(COUNT):
        flared = with_flare(i, 1.0)
        scene = np.rint(flared.astype(np.float32) / 255 * np.float32(0.6) * 255).astype(np.uint8)
        kept = np.asarray(Image.open(out / f"test_data/real/restored/{i:03}.png"))
        np.testing.assert_allclose(kept, scene, atol=1)
        assert facts["rows"][i]["result"]["psnr"] == pytest.approx(psnr(kept, truth_of(i)))
    mixed = runner.invoke(app, [*command, "-j", "1"])  # the folder holds raw results
    assert mixed.exit_code == 2


def test_benchmark_without_a_set(tmp_path: Path) -> None:
    result = runner.invoke(app, ["benchmark", "--model", "none", "--data", str(tmp_path)])
    assert result.exit_code == 2
    assert "holds no folder of inputs" in result.stderr


def test_one_picture_is_enough(tmp_path: Path) -> None:
    save(with_flare(0, 1), tmp_path / "a" / "x.png")
    save(truth_of(0), tmp_path / "b" / "x.png")
    result = runner.invoke(
        app, ["evaluate", "--input", str(tmp_path / "a"), "--gt", str(tmp_path / "b")]
    )
    assert result.exit_code == 0
    assert "1 picture," in result.stdout
