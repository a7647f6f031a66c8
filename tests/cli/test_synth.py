"""`semilar synth`: folders, manifest, restart, the same bytes again, and clear errors."""

import hashlib
import json

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.flare.scene import night_scene

FOLDERS = {"input", "gt", "mask", "flare"}


@pytest.fixture(autouse=True)
def home(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path_factory.getbasetemp() / "synth-home"))


@pytest.fixture
def backgrounds(tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    for seed in range(3):
        Image.fromarray(night_scene(seed, (80, 96))).save(folder / f"{seed}.png")
    return folder


def synth(*arguments):
    return CliRunner().invoke(app, ["synth", *map(str, arguments)])


def checksums(folder):
    files = sorted(path for path in folder.rglob("*.png") if path.parent != folder)
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def test_folders_manifest_and_sheet(backgrounds, tmp_path):
    out = tmp_path / "out"
    done = synth(
        "--backgrounds",
        backgrounds,
        "--out",
        out,
        "-n",
        5,
        "--size",
        64,
        "--workers",
        1,
        "--sheet",
        "--json",
    )
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert (facts["made"], facts["failed"]) == (5, 0)
    assert {path.name for path in out.iterdir() if path.is_dir()} == FOLDERS
    for folder in FOLDERS:
        files = sorted((out / folder).iterdir())
        assert [file.name for file in files] == [f"{n:06d}.png" for n in range(5)]
        for file in files:
            assert np.asarray(Image.open(file)).shape == (64, 64, 3)
    assert Image.open(out / "sheet.png").width == 8 * 160
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["seed"] == 1
    assert manifest["settings"]["name"] == "realistic"
    assert len(manifest["backgrounds"]) == 3


def test_manifest_makes_the_same_bytes_again_in_other_processes(backgrounds, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    made = ("--backgrounds", backgrounds, "-n", 4, "--size", 48, "--seed", 7)
    assert synth(*made, "--out", one, "--workers", 1).exit_code == 0
    again = synth("--again", one / "manifest.json", "--out", two, "--workers", 2)
    assert again.exit_code == 0, again.output
    assert checksums(one) == checksums(two)
    assert len(checksums(one)) == 16


def test_restart_makes_only_what_is_missing(backgrounds, tmp_path):
    out = tmp_path / "out"
    made = ("--backgrounds", backgrounds, "--out", out, "--size", 48, "--workers", 1)
    assert synth(*made, "-n", 2).exit_code == 0
    before = checksums(out)
    kept = (out / "input/000000.png").stat().st_mtime_ns
    (out / "input/000001.png").unlink()
    done = synth(*made, "-n", 4)
    assert done.exit_code == 0, done.output
    assert "1 samples are there already" in done.output
    after = checksums(out)
    assert len(after) == 16
    assert before.items() <= after.items()
    assert (out / "input/000000.png").stat().st_mtime_ns == kept


def test_other_samples_are_not_mixed_in_without_force(backgrounds, tmp_path):
    out = tmp_path / "out"
    made = ("--backgrounds", backgrounds, "--out", out, "-n", 1, "--size", 48, "--workers", 1)
    assert synth(*made).exit_code == 0
    before = checksums(out)
    refused = synth(*made, "--seed", 2)
    assert refused.exit_code == 2
    assert "describes other samples" in refused.output
    assert checksums(out) == before
    assert synth(*made, "--seed", 2, "--force").exit_code == 0
    assert checksums(out) != before


def test_without_backgrounds_installed_pictures_serve(tmp_path):
    done = synth("--out", tmp_path / "o", "-n", 2, "--size", 64, "--workers", 1)
    assert done.exit_code == 0, done.output
    manifest = json.loads((tmp_path / "o/manifest.json").read_text())
    assert manifest["backgrounds"] == "builtin"


def test_patterns_use_the_protocol(backgrounds, tmp_path):
    flares = tmp_path / "flares"
    flares.mkdir()
    spot = np.zeros((90, 90, 3), np.uint8)
    spot[40:50, 40:50] = 255
    spot[44:46] = 120
    Image.fromarray(spot).save(flares / "spot.png")
    out = tmp_path / "out"
    done = synth(
        "--backgrounds",
        backgrounds,
        "--patterns",
        flares,
        "--out",
        out,
        "-n",
        2,
        "--size",
        64,
        "--workers",
        1,
    )
    assert done.exit_code == 0, done.output
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["settings"]["name"] == "protocol"
    assert manifest["patterns"] == str(flares)


def test_small_backgrounds_fail_alone(backgrounds, tmp_path):
    Image.fromarray(night_scene(0, (40, 96))).save(backgrounds / "1.png")
    done = synth(
        "--backgrounds", backgrounds, "--out", tmp_path / "o", "-n", 3, "--size", 64, "--workers", 1
    )
    assert done.exit_code == 1
    assert "1.png: 96 x 40 pixels, smaller than the crop of 64 x 64" in done.output
    assert len(list((tmp_path / "o/input").iterdir())) == 2


def test_nothing_usable(backgrounds, tmp_path):
    done = synth(
        "--backgrounds",
        backgrounds,
        "--out",
        tmp_path / "o",
        "-n",
        2,
        "--size",
        512,
        "--workers",
        1,
    )
    assert done.exit_code == 2


def test_empty_folder_unknown_preset_foreign_folder_and_manifest(backgrounds, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    done = synth("--backgrounds", empty, "--out", tmp_path / "o")
    assert (done.exit_code, "there are no photographs" in done.output) == (2, True)
    done = synth("--out", tmp_path / "o", "--preset", "sunny")
    assert (done.exit_code, "no such preset" in done.output) == (2, True)
    done = synth("--patterns", empty, "--out", tmp_path / "o")
    assert (done.exit_code, "no flare patterns here" in done.output) == (2, True)
    done = synth("--backgrounds", backgrounds, "--out", backgrounds)
    assert (done.exit_code, "is not empty" in done.output) == (2, True)
    (empty / "m.json").write_text("{}")
    done = synth("--again", empty / "m.json", "--out", tmp_path / "o")
    assert (done.exit_code, "not a manifest" in done.output) == (2, True)
    assert not (tmp_path / "o").exists()


def test_changed_background_is_noticed(backgrounds, tmp_path):
    out = tmp_path / "out"
    made = ("--backgrounds", backgrounds, "--out", out, "-n", 1, "--size", 48, "--workers", 1)
    assert synth(*made).exit_code == 0
    Image.fromarray(night_scene(9, (80, 96))).save(backgrounds / "0.png")
    done = synth("--again", out / "manifest.json", "--out", tmp_path / "again")
    assert done.exit_code == 2
    assert "has changed" in done.output
