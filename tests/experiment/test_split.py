"""The split of the backgrounds: no picture in both parts, and a manifest that can be checked."""

import hashlib
import json
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.data import PhotoFolder
from semilar.errors import SemilarError
from semilar.experiment.split import split_backgrounds


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "all"
    (folder / "more").mkdir(parents=True)
    for i in range(9):
        place = folder / "more" if i == 8 else folder
        Image.new("RGB", (8, 8), (i, i, i)).save(place / f"{i:03d}.png")
    return folder


def test_parts_follow_the_order_and_share_nothing(photos: Path, tmp_path: Path) -> None:
    out = tmp_path / "split"
    arguments = [str(photos), "--out", str(out), "--labeled", "3", "--unlabeled", "4"]
    done = CliRunner().invoke(app, ["experiment", "split", *arguments])
    assert done.exit_code == 0, done.output
    labeled, unlabeled = ((out / f"{x}.txt").read_text().split() for x in ("labeled", "unlabeled"))
    assert labeled == ["000.png", "001.png", "002.png"]
    assert unlabeled == ["003.png", "004.png", "005.png", "006.png"]
    known = json.loads((out / "manifest.json").read_text())["files"]
    for name, checksum in (known["labeled"] | known["unlabeled"]).items():
        assert checksum == hashlib.sha256((photos / name).read_bytes()).hexdigest()
    chosen = PhotoFolder(folder=photos, names=out / "labeled.txt").find()
    assert [path.name for path in chosen] == labeled


def test_a_second_time_is_the_same_and_another_split_is_refused(
    photos: Path, tmp_path: Path
) -> None:
    first = split_backgrounds(photos, tmp_path / "split", labeled=3, unlabeled=4)
    assert split_backgrounds(photos, tmp_path / "split", labeled=3, unlabeled=4) == first
    with pytest.raises(SemilarError, match="another split"):
        split_backgrounds(photos, tmp_path / "split", labeled=2, unlabeled=4)


def test_too_few_or_two_of_one_name(photos: Path, tmp_path: Path) -> None:
    with pytest.raises(SemilarError, match="holds 9 photographs"):
        split_backgrounds(photos, tmp_path / "split", labeled=8, unlabeled=8)
    Image.new("RGB", (8, 8)).save(photos / "008.png")
    with pytest.raises(SemilarError, match="has the name of"):
        split_backgrounds(photos, tmp_path / "split", labeled=3, unlabeled=4)
