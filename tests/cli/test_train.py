"""`semilar train` and `semilar repository` as a person meets them: mistakes end in errors."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
import yaml
from safetensors.torch import load_file
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.restore.models import find_model
from semilar.train.recipe_file import merged
from tests.train.tiny import tiny_values, write_scenes


def invoke(*arguments: str | Path):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def write_recipe(root: Path, changes: dict | None = None) -> Path:
    """The tiny recipe with a scorer and losses that need no weights."""
    values = tiny_values(root)
    plain = {
        "net": {"options": {"widths": [8, 12], "depths": [1, 1, 1], "blocks": ["conv", "psc"]}},
        "loss": {"perceptual": 0.0, "features": {"kind": "none", "layers": ["relu1_1"]}},
        "semi": {
            "contrastive": {"weight": 0.0},
            "repository": {"scorer": "none", "strategy": "momentum"},
        },
        "stages": [{"steps": 4, "crop": 32, "batch": 2, "synth": {"preset": "strong"}}],
    }
    path = root / "recipe.yaml"
    path.write_text(yaml.safe_dump(merged(merged(values, plain), changes or {})))
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run."""
    root = tmp_path_factory.mktemp("cli")
    result = invoke("train", write_recipe(root), "semi.start_epoch=0")
    assert result.exit_code == 0, result.stderr
    assert "Done: 4 steps" in result.stderr
    return root


def test_a_finished_run_is_not_overwritten(trained: Path) -> None:
    result = invoke("train", trained / "recipe.yaml")
    assert result.exit_code == 2
    assert "--resume" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "changes",
    [
        {"semi": {"photos": {"folder": "nowhere"}}},
        {"init": "nowhere.safetensors"},
        {"validation": {"sets": {"real": {"kind": "pairs", "folder": "nowhere"}}}},
    ],
    ids=["photos", "weights", "validation"],
)
def test_a_run_that_cannot_start_leaves_no_folder(tmp_path: Path, changes: dict) -> None:
    result = invoke("train", write_recipe(tmp_path, changes))
    assert result.exit_code == 2
    assert "nowhere" in result.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_whole_group_ends_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    """As a service manager and a terminal send it: the workers get it too."""
    long = {"stages": [{"steps": 100000, "crop": 32, "batch": 2}], "machine": {"workers": 2}}
    recipe = write_recipe(tmp_path, {**long, "log_every": 1})
    log = Path(yaml.safe_load(recipe.read_text())["run"]) / "log.jsonl"
    process = subprocess.Popen(
        [sys.executable, "-m", "semilar", "train", recipe],
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not (log.exists() and log.stat().st_size):
        time.sleep(0.05)
    os.killpg(process.pid, number)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 0, said
    assert "Stopped after step" in said
    assert "Traceback" not in said
    assert list((log.parent / "checkpoints").glob("*.safetensors"))


def test_a_folder_of_flared_photos_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By name, from the bundled model, on drawn scenes; `~` works though no shell expands it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    write_scenes(tmp_path / "flared", 3, size=(64, 96))
    small = ("stages=[{steps: 2, crop: 32, batch: 2}]", "semi.batch=2", "semi.side=32")
    less = {"simulated": "count: 2, size: 32, side: 48", "strong": "count: 2, size: 32, side: 48"}
    sets = (
        *(f"validation.sets.{name}={{kind: simulated, {how}}}" for name, how in less.items()),
        "validation.sets.yours.side=32",
        "machine.workers=0",
    )
    run = f"run={tmp_path / 'run'}"
    result = invoke(
        *("train", "own-photos", "semi.photos.folder=~/flared", "semi.start_epoch=0", run),
        *(*small, *sets, "labeled.side=48", "optimizer.lr=1e-9", "tensorboard=false"),
    )
    assert result.exit_code in (0, 1), result.stderr
    best = tmp_path / "run" / "best.safetensors"
    assert best.exists() == (result.exit_code == 0), "a model no better than before is not given"
    assert ("keep using those" in result.stderr) == (result.exit_code == 1)
    assert "drawn night scenes" in result.stderr
    assert "step 0  yours: " in result.stderr
    trained, bundled = (
        load_file(file)
        for file in (
            tmp_path / "run" / "last-teacher.safetensors",
            find_model("semilar-t").need_safetensors(),
        )
    )
    assert all(torch.allclose(trained[name], bundled[name].float(), atol=1e-4) for name in bundled)
    manifest = json.loads((tmp_path / "run" / "data.json").read_text())
    assert len(manifest["unlabeled"]) == 2


def test_own_photos_without_photos_names_the_key(tmp_path: Path) -> None:
    result = invoke("train", "own-photos", f"run={tmp_path / 'run'}")
    assert result.exit_code == 2
    assert "semi.photos.folder is missing" in result.stderr


def test_a_budget_stops_and_resume_goes_on(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path)
    result = invoke("train", recipe, "--max-minutes", "0")
    assert result.exit_code == 0
    assert "Stopped after step 1 of 4" in result.stderr
    result = invoke("train", recipe, "--resume")
    assert result.exit_code == 0
    assert "Done: 4 steps" in result.stderr


def test_a_dry_run_tells_all_and_writes_nothing(tmp_path: Path) -> None:
    recipe = write_recipe(tmp_path)
    result = invoke("train", recipe, "--dry-run")
    assert result.exit_code == 0, result.stderr
    for text in ("optimizer:", "5 backgrounds, 6 unlabeled", "M parameters", "4 steps", "GiB"):
        assert text in result.stdout
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("labeled.backgrounds.folder=/absent", "/absent: no such folder"),
        ("semi.photos.folder=/absent", "/absent: no such folder"),
        ("init=/absent.safetensors", "/absent.safetensors: no such file of weights"),
        ("net.name=resnet", "resnet: no such network"),
        ("net.options.colour=1", "net.options"),
        ("stages.0.synth.preset=wild", "wild: no such preset"),
        ("semi.repository={strategy: momentum+quality, scorer: magic}", "magic"),
        ("optimizer.lrr=1", "optimizer.lrr is not a known key"),
    ],
)
def test_mistakes_are_one_error(tmp_path: Path, change: str, message: str) -> None:
    result = invoke("train", write_recipe(tmp_path), change)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_resuming_nothing_and_recipes_that_are_not_there(tmp_path: Path) -> None:
    assert "no run to resume" in invoke("train", write_recipe(tmp_path), "--resume").stderr
    result = invoke("train", tmp_path / "absent.yaml")
    assert (result.exit_code, "no such recipe" in result.stderr) == (2, True)


def test_repository_stats(trained: Path) -> None:
    result = invoke("repository", "stats", trained / "run", "--json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["photos"] == 6
    assert sum(found["outcomes"].values()) == 4 * 2
    assert sum(sum(p["outcomes"].values()) for p in found["periods"]) == 4 * 2
    text = invoke("repository", "stats", trained / "run").stdout
    assert "photos have a pseudo label" in text


def test_repository_show_export_and_report(trained: Path, tmp_path: Path) -> None:
    name = json.loads(
        invoke("repository", "show", trained / "run", "scene-20.png", "--json").stdout
    )
    assert name["key"].startswith("scene-20.png#")
    assert len(name["history"]) == name["offered"]
    result = invoke(
        "repository", "export", trained / "run", tmp_path / "pairs", "--photos", trained / "photos"
    )
    assert result.exit_code == 0, result.stderr
    inputs, targets = (sorted((tmp_path / "pairs" / part).iterdir()) for part in ("input", "gt"))
    assert [p.name for p in inputs] == [p.name for p in targets]
    assert inputs
    again = invoke("repository", "export", trained / "run", tmp_path / "pairs")
    assert (again.exit_code, "already exists" in again.stderr) == (2, True)
    page = tmp_path / "report.html"
    assert invoke("repository", "report", trained / "run", page).exit_code == 0
    assert page.read_text().count("<img") == len(targets)


def test_repository_mistakes(trained: Path, tmp_path: Path) -> None:
    for arguments, message in (
        (("stats", tmp_path / "absent"), "no such folder"),
        (("stats", tmp_path), "no repository"),
        (("show", trained / "run", "nobody.jpg"), "names no photo"),
    ):
        result = invoke("repository", *arguments)
        assert (result.exit_code, message in result.stderr) == (2, True), result.output
