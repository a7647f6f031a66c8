"""The same picture through each engine."""

from pathlib import Path

import numpy as np
import pytest

from semilar.errors import SemilarError
from semilar.restore import Remover
from semilar.restore.engines import ENGINES, open_engine
from semilar.restore.models import find_model
from tests.restore import tiny
from tests.support.pictures import smooth_picture


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("tiny"))


@pytest.mark.parametrize("size", [(16, 16), (33, 70)])
def test_engines_agree(model: Path, size: tuple[int, int]) -> None:
    image = np.random.default_rng(0).random((1, 3, *size), np.float32)
    files = find_model(model)
    answers = [open_engine(files, engine=name, threads=1).run(image) for name in ENGINES]
    assert np.ptp(answers[0][1]) > 0.05  # the network does something
    for scene, flare in answers:
        assert scene.dtype == flare.dtype == np.float32
        np.testing.assert_allclose(scene, answers[0][0], atol=1e-3)
        np.testing.assert_allclose(flare, answers[0][1], atol=1e-3)
        np.testing.assert_allclose(scene + flare, image, atol=1e-5)


@pytest.mark.parametrize("name", ENGINES)
def test_engines_take_batches(model: Path, name: str) -> None:
    """The file of this model fixes the batch at 1, as older ones do."""
    images = np.random.default_rng(1).random((3, 3, 20, 33), np.float32)
    engine = open_engine(find_model(model), engine=name, threads=1)
    together = engine.run(images)
    for i in range(3):
        for found, alone in zip(together, engine.run(images[i : i + 1]), strict=True):
            np.testing.assert_allclose(found[i : i + 1], alone, atol=1e-5)


def test_photos_agree_whatever_the_engine(model: Path) -> None:
    picture = smooth_picture(90, 120)
    first, *others = (Remover(model=model, engine=name).remove(picture) for name in ENGINES)
    assert first.found
    for one in others:
        assert np.abs(one.image.astype(int) - first.image).max() <= 1


def test_weights_without_an_onnx_file_run_in_torch(model: Path, tmp_path: Path) -> None:
    (tmp_path / "own.safetensors").write_bytes(model.with_suffix(".safetensors").read_bytes())
    picture = smooth_picture(40, 60)
    own = Remover(model=tmp_path / "own.safetensors").remove(picture).image
    known = Remover(model=model, engine="torch").remove(picture).image
    np.testing.assert_array_equal(own, known)
    with pytest.raises(SemilarError, match="use the torch engine"):
        Remover(model=tmp_path / "own.safetensors", engine="onnx")


def test_what_cannot_run_is_said_with_an_error(model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no graph")
    (tmp_path / "broken.safetensors").write_bytes(b"no tensors")
    for name in ENGINES:
        with pytest.raises(SemilarError, match=r"broken\.\w+: is not a model that can be run"):
            Remover(model=broken, engine=name)
    with pytest.raises(SemilarError, match="no such engine; there are onnx, torch, openvino"):
        Remover(model=model, engine="magic")
    for name in ENGINES:
        with pytest.raises(SemilarError, match=r"abacus: the .* has no such device here; it has"):
            Remover(model=model, engine=name, device="abacus")


def test_a_graph_of_another_kind_is_refused(tmp_path: Path) -> None:
    import onnx
    from onnx import TensorProto, helper

    one, two = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, "h", "w"]) for name in "xy"
    )
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "other", [one], [two])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, tmp_path / "other.onnx")
    with pytest.raises(SemilarError, match="is no flare model; it has x, y"):
        Remover(model=tmp_path / "other.onnx")
