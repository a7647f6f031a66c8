"""The published folder layouts are found by their names."""

from pathlib import Path

import numpy as np
import pytest

from semilar.errors import SemilarError
from semilar.evaluate.layouts import find_sets
from tests.evaluate.conftest import mask_of, save, truth_of


def _set(root: Path, inputs: str, truth: str, masks: str | None = None) -> None:
    save(truth_of(0), root / inputs / "input_000.png")
    save(truth_of(0), root / truth / "gt_000.png")
    if masks:
        save(mask_of(0), root / masks / "mask_000.png")


def test_flare7k(tmp_path: Path) -> None:
    for name in ("real", "synthetic"):
        part = f"Flare7Kpp/test_data/{name}"
        _set(tmp_path, f"{part}/input", f"{part}/gt", f"{part}/mask")
    save(truth_of(0), tmp_path / "Flare7Kpp" / "Flickr24K" / "1.png")
    sets = find_sets(tmp_path)
    assert [each.name for each in sets] == [
        "Flare7Kpp/test_data/real",
        "Flare7Kpp/test_data/synthetic",
    ]
    assert set(sets[0].folders()) == {"untouched", "truth", "mask"}
    assert sets[0].pictures()[0].files["mask"].name == "mask_000.png"
    assert [each.name for each in find_sets(tmp_path / "Flare7Kpp/test_data/real")] == ["real"]


def test_flarereal600(tmp_path: Path) -> None:
    _set(tmp_path, "val_input", "val_gt")
    _set(tmp_path, "val_input_2k_bicubic", "val_gt_2k_bicubic")
    assert [each.name for each in find_sets(tmp_path)] == ["val", "val_2k_bicubic"]


def test_flarex_masks_are_of_another_code(tmp_path: Path) -> None:
    _set(tmp_path, "test/input", "test/gt")
    save(np.full((40, 56, 3), 255, np.uint8), tmp_path / "test" / "mask" / "mask_000.png")
    (found,) = find_sets(tmp_path)
    assert found.masks is not None
    assert not found.has_regions
    assert set(found.pictures()[0].files) == {"untouched", "truth", "left_out"}


@pytest.mark.parametrize(
    ("inputs", "truth"), [("flare", "clear"), ("lq", "hq"), ("input", "target")]
)
def test_any_pair_of_folders(tmp_path: Path, inputs: str, truth: str) -> None:
    _set(tmp_path, inputs, truth)
    (found,) = find_sets(tmp_path)
    assert (found.inputs.name, found.truth.name) == (inputs, truth)
    assert found.name == tmp_path.name


def test_layers_that_synth_writes_are_no_inputs(tmp_path: Path) -> None:
    _set(tmp_path, "input", "gt", "mask")
    save(truth_of(1), tmp_path / "flare" / "flare_000.png")
    (only,) = find_sets(tmp_path)
    assert only.inputs == tmp_path / "input"


def test_nothing_found_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    with pytest.raises(SemilarError, match="holds no folder of inputs"):
        find_sets(tmp_path)
    with pytest.raises(SemilarError, match="there is no such folder"):
        find_sets(tmp_path / "nowhere")
