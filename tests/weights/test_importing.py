"""Files of every accepted kind end as the same safetensors; everything else is an error."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import save_file

from semilar import weights
from semilar.errors import SemilarError
from semilar.weights.layouts import SHAPES
from semilar.weights.metadata import sha256
from tests.weights.conftest import flax_alexnet


def _alexnet(seed: int = 0) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return {key: torch.rand(shape, generator=generator) for key, shape in SHAPES["alexnet"].items()}


def test_the_archive_is_converted_to_torchvisions_layout(pinned_archive: Path) -> None:
    file = weights.import_file("alexnet", pinned_archive)
    tree = flax_alexnet()["AlexNet_0"]
    tensors = weights.load("alexnet")
    assert {key: value.shape for key, value in tensors.items()} == SHAPES["alexnet"]
    kernel = tree["Conv_1"]["kernel"]  # (height, width, in, out)
    ours = tensors["features.3.weight"]  # (out, in, height, width)
    for out, into, y, x in [(0, 0, 0, 0), (5, 7, 1, 3), (191, 63, 4, 2)]:
        assert ours[out, into, y, x] == kernel[y, x, into, out]
    np.testing.assert_array_equal(tensors["features.10.bias"], tree["Conv_4"]["bias"])
    with safe_open(file, "numpy") as stored:
        assert stored.metadata()["source_sha256"] == sha256(pinned_archive)


def test_the_same_archive_gives_the_same_file(pinned_archive: Path) -> None:
    file = weights.import_file("alexnet", pinned_archive)
    before = file.read_bytes()
    plain = pinned_archive.with_name("plain")
    plain.touch()
    assert file.stat().st_mode == plain.stat().st_mode  # readable by whom the user lets read
    file.unlink()
    assert weights.import_file("alexnet", pinned_archive).read_bytes() == before


def test_the_heads_come_from_the_same_archive(pinned_archive: Path) -> None:
    weights.import_file("lpips-alex", pinned_archive)
    heads = weights.load("lpips-alex")
    for i in range(5):
        expected = flax_alexnet()[f"NetLinLayer_{i}"]["Conv_0"]["kernel"]
        np.testing.assert_array_equal(
            heads[f"lin{i}.model.1.weight"][0, :, 0, 0], expected[0, 0, :, 0]
        )


def test_an_archive_with_another_checksum_is_refused(pinned_archive: Path) -> None:
    with pinned_archive.open("ab") as stream:
        stream.write(b"\0")
    with pytest.raises(SemilarError, match=r"the checksum is"):
        weights.import_file("alexnet", pinned_archive)
    with pytest.raises(weights.WeightsMissingError):
        weights.locate("alexnet")


@pytest.mark.parametrize("zipped", [True, False], ids=["zip", "legacy"])
def test_torchvisions_file(tmp_path: Path, zipped: bool) -> None:
    state = _alexnet() | {"classifier.1.weight": torch.zeros(4, 4)}
    file = tmp_path / "alexnet-owt-7be5be79.pth"
    torch.save(state, file, _use_new_zipfile_serialization=zipped)
    weights.import_file("alexnet", file)
    tensors = weights.load("alexnet")
    assert set(tensors) == set(SHAPES["alexnet"])
    for key, value in tensors.items():
        np.testing.assert_array_equal(value, state[key].numpy())


def test_a_wrapped_state_of_any_names_is_kept_for_musiq(tmp_path: Path) -> None:
    state = {"module.conv_root.weight": torch.ones(2, 3, dtype=torch.float16)}
    torch.save({"params": state}, tmp_path / "musiq.pth")
    weights.import_file("musiq", tmp_path / "musiq.pth")
    tensors = weights.load("musiq")
    assert set(tensors) == {"conv_root.weight"}
    assert tensors["conv_root.weight"].dtype == np.float32


def test_safetensors(tmp_path: Path) -> None:
    state = {key: value.numpy() for key, value in _alexnet().items()}
    save_file(state, tmp_path / "a.safetensors")
    weights.import_file("alexnet", tmp_path / "a.safetensors")
    np.testing.assert_array_equal(
        weights.load("alexnet")["features.0.weight"], state["features.0.weight"]
    )


class Writes:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


def test_code_in_a_torch_file_is_not_run(tmp_path: Path) -> None:
    file, trace = tmp_path / "evil.pth", tmp_path / "ran"
    torch.save({"a": Writes(trace)}, file)
    with pytest.raises(SemilarError, match=r"evil.pth: not a torch file of plain tensors"):
        weights.import_file("alexnet", file)
    file.write_bytes(pickle.dumps(Writes(trace), protocol=2))
    with pytest.raises(SemilarError, match=r"evil.pth: not a torch file of plain tensors"):
        weights.import_file("alexnet", file)
    assert not trace.exists()


@pytest.mark.parametrize("fault", ["missing", "shape", "nan", "not tensors"])
def test_wrong_content_is_named(tmp_path: Path, fault: str) -> None:
    state: dict[str, object] = dict(_alexnet())
    key, message = "features.6.weight", "has no tensor 'features.6.weight'"
    if fault == "missing":
        del state[key]
    elif fault == "shape":
        state[key], message = (
            torch.zeros(3, 3),
            r"shape \(3, 3\), 'alexnet' needs \(384, 192, 3, 3\)",
        )
    elif fault == "nan":
        state[key], message = torch.full((384, 192, 3, 3), torch.nan), "values that are not finite"
    else:
        state[key], message = 3, "does not hold a dictionary of tensors"
    torch.save(state, tmp_path / "x.pth")
    with pytest.raises(SemilarError, match=f"x.pth: .*{message}"):
        weights.import_file("alexnet", tmp_path / "x.pth")


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SemilarError, match=r"nowhere.pth: there is no such file"):
        weights.import_file("vgg16", tmp_path / "nowhere.pth")
    (tmp_path / "a.h5").touch()
    with pytest.raises(
        SemilarError, match=r"a.h5: this kind of file cannot be imported as 'vgg16'"
    ):
        weights.import_file("vgg16", tmp_path / "a.h5")
    (tmp_path / "a.safetensors").write_bytes(b"nonsense")
    with pytest.raises(SemilarError, match=r"cannot be read as safetensors"):
        weights.import_file("vgg16", tmp_path / "a.safetensors")
