"""`semilar score`: order, machine output, and one bad file among good ones."""

import json
from pathlib import Path

import pytest
from PIL import Image, ImageFilter
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.flare.scene import night_scene


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    picture = Image.fromarray(night_scene(3, (240, 320)))
    picture.save(tmp_path / "a.png")
    picture.filter(ImageFilter.GaussianBlur(6)).save(tmp_path / "b.png")
    return tmp_path


def run(*arguments: str):
    return CliRunner().invoke(app, ["score", *arguments])


def test_a_folder_is_scored_for_a_machine(photos: Path):
    done = run(str(photos), "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["scorer"] == "flare-score"
    sharp, blurred = found["photos"]
    assert sharp["photo"].endswith("a.png")
    assert sharp["score"] > blurred["score"] + found["delta"]


def test_scores_are_printed_one_per_line(photos: Path):
    done = run(str(photos / "b.png"), str(photos / "a.png"), "--scorer", "niqe")
    assert done.exit_code == 0
    first, second = done.stdout.splitlines()
    assert first.endswith("b.png")
    assert second.endswith("a.png")
    assert float(first.split()[0]) < 0


def test_a_bad_file_is_named_and_the_others_are_scored(photos: Path):
    (photos / "broken.png").write_bytes(b"not a picture")
    done = run(str(photos), "--json")
    assert done.exit_code == 1
    rows = json.loads(done.stdout)["photos"]
    assert ["error" in row for row in rows] == [False, False, True]
    assert "broken.png" in done.stderr


def test_nothing_usable_is_status_two(tmp_path: Path):
    done = run(str(tmp_path))
    assert done.exit_code == 2
    assert str(tmp_path) in done.stderr
    assert run(str(tmp_path / "missing.jpg")).exit_code == 2


def test_too_small_for_the_scorer_names_the_file(tmp_path: Path):
    Image.new("RGB", (50, 50)).save(tmp_path / "tiny.png")
    done = run(str(tmp_path / "tiny.png"), "--scorer", "niqe")
    assert done.exit_code == 2
    assert "tiny.png" in done.stderr


def test_an_unknown_scorer_is_told_with_the_known_ones(photos: Path):
    done = run(str(photos), "--scorer", "taste")
    assert done.exit_code == 2
    assert "flare-score" in done.stderr
