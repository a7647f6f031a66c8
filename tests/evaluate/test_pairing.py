"""Pictures are paired by name; what has no partner is named."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from semilar.errors import SemilarError
from semilar.evaluate import pair_folders
from tests.evaluate.conftest import save

TINY = np.zeros((8, 8, 3), np.uint8)


def _folder(root: Path, role: str, *names: str) -> Path:
    for name in names:
        save(TINY, root / role / name)
    return root / role


def test_published_names_go_together(folders: dict[str, Path]) -> None:
    pictures = pair_folders(folders)
    assert [picture.name for picture in pictures] == [f"{i:03}" for i in range(6)]
    for i, picture in enumerate(pictures):
        assert picture.files["truth"].name == f"gt_{i:03}.png"
        assert picture.files["untouched"].name == f"input_{i:03}.png"
        assert picture.files["baseline"].name == f"{i:03}_pred.png"


def test_one_missing_picture_never_shifts_the_others(folders: dict[str, Path]) -> None:
    (folders["result"] / "002.png").unlink()
    with pytest.raises(SemilarError, match=r"result: has no partner for gt_002.png of .*gt"):
        pair_folders(folders)


def test_a_superfluous_picture_is_named(folders: dict[str, Path]) -> None:
    save(TINY, folders["result"] / "999.png")
    with pytest.raises(SemilarError, match=r"has no partner for 999.png"):
        pair_folders(folders)


def test_suffixes_and_subfolders(tmp_path: Path) -> None:
    a = _folder(tmp_path, "a", "x/1.png", "y/1.png")
    b = _folder(tmp_path, "b", "x/1.jpg", "y/1.bmp")
    names = [picture.name for picture in pair_folders({"result": a, "truth": b})]
    assert names == ["x/1", "y/1"]


def test_equal_names_are_taken_as_they_are(tmp_path: Path) -> None:
    names = ("gt_1.png", "input_1.png")  # two pictures, though only the role differs
    a, b = _folder(tmp_path, "a", *names), _folder(tmp_path, "b", *names)
    pictures = pair_folders({"result": a, "truth": b})
    assert [picture.name for picture in pictures] == ["gt_1", "input_1"]


def test_two_files_of_one_name_are_an_error(tmp_path: Path) -> None:
    a = _folder(tmp_path, "a", "1.png", "1.jpg")
    b = _folder(tmp_path, "b", "1.png")
    with pytest.raises(SemilarError, match="keep one of them"):
        pair_folders({"result": a, "truth": b})


def test_an_empty_folder_is_named(tmp_path: Path, folders: dict[str, Path]) -> None:
    shutil.rmtree(folders["mask"])
    folders["mask"].mkdir()
    with pytest.raises(SemilarError, match="mask: holds no pictures"):
        pair_folders(folders)
