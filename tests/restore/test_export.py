"""A trained model as an ONNX file: the same pictures, the same settings, or no file at all."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.errors import ModelError, OutputExistsError, SettingError
from semilar.net import onnx_export
from semilar.restore import Remover
from semilar.restore.export import export_model
from semilar.restore.onnx_engine import OnnxEngine
from semilar.weights.card import ModelCard, Network, verify
from tests.restore.tiny import Tiny
from tests.support.command import semilar
from tests.support.pictures import smooth_picture

CARD = ModelCard(
    name="mine", net=Network("tests.restore.tiny:Tiny"), working_size=64, views=4, data="drawn"
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's weights, as training leaves them."""
    path = tmp_path_factory.mktemp("run") / "best.safetensors"
    CARD.write(path, save(Tiny().state_dict()))
    return path


@pytest.fixture(scope="module")
def exported(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("out") / "mine.onnx"
    done = export_model(trained, target)
    assert done.path == target
    assert done.difference < 1e-5
    return target


def test_the_exported_file_gives_what_the_run_gives(trained: Path, exported: Path) -> None:
    verify(exported)
    ours, theirs = Remover(model=exported), Remover(model=trained)
    assert (ours.working_size, ours.views) == (theirs.working_size, theirs.views) == (64, 4)
    assert ours.card.data == "drawn"
    for size in ((90, 120), (33, 200)):
        picture = smooth_picture(*size)
        results = [one.remove(picture) for one in (ours, theirs)]
        assert results[0].found
        assert results[0].working_size == results[1].working_size
        first, second = (result.image.astype(int) for result in results)
        assert np.abs(first - second).max() <= 1


def test_batch_height_and_width_are_free(exported: Path) -> None:
    engine, net = OnnxEngine(exported), Tiny().eval()
    for shape in ((1, 3, 16, 40), (5, 3, 31, 17)):
        image = np.random.default_rng(0).random(shape, np.float32)
        with torch.no_grad():
            expected = net(torch.from_numpy(image))
        for found, wanted in zip(engine.run(image), expected, strict=True):
            np.testing.assert_allclose(found, wanted.numpy(), atol=1e-5)


def test_half_precision_is_smaller_and_says_how_far_it_is(trained: Path, tmp_path: Path) -> None:
    done = export_model(trained, tmp_path / "half.onnx", half=True, views=1, working_size=32)
    assert 1e-6 < done.difference < 1 / 255
    card = ModelCard.read(tmp_path / "half.onnx")
    assert (card.working_size, card.views) == (32, 1)
    import onnx

    weights = onnx.load(tmp_path / "half.onnx").graph.initializer
    assert onnx.TensorProto.FLOAT16 in {one.data_type for one in weights}


def test_a_network_that_comes_out_different_is_not_written(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(net: Tiny, path: Path, *, half: bool = False) -> None:
        with torch.no_grad():
            other = Tiny()
            other.conv.weight *= 1.01
        right(other, path, half=half)

    right = onnx_export.export
    monkeypatch.setattr(onnx_export, "export", wrong)
    with pytest.raises(
        ModelError, match=r"mine.onnx: is not written; .* differs .* by \d+\.\d+ of"
    ):
        export_model(trained, tmp_path / "mine.onnx")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_replaced_unasked(trained: Path, tmp_path: Path) -> None:
    target = tmp_path / "there.onnx"
    target.write_bytes(b"mine")
    with pytest.raises(OutputExistsError, match=r"there.onnx: already exists"):
        export_model(trained, target)
    assert target.read_bytes() == b"mine"
    with pytest.raises(SettingError, match=r"out.pt: the name of an exported model ends in .onnx"):
        export_model(trained, tmp_path / "out.pt")
    with pytest.raises(ModelError, match=r"has no .safetensors file beside it"):
        export_model(_lonely(tmp_path), tmp_path / "again.onnx")


def _lonely(folder: Path) -> Path:
    from tests.support.models import dimming_model

    return dimming_model(folder / "dim.onnx")


def test_the_command(trained: Path, tmp_path: Path) -> None:
    target = tmp_path / "mine.onnx"
    done = CliRunner().invoke(app, ["export", str(trained), str(target)])
    assert done.exit_code == 0, done.stderr
    assert done.stdout == f"{target}\n"
    assert "of 255 levels at most" in done.stderr
    assert "working size 64, views 4" in done.stderr
    again = CliRunner().invoke(app, ["export", str(trained), str(target)])
    assert again.exit_code == 2
    assert again.stderr == f"{target}: already exists; use --force to replace it.\n"
    shown = CliRunner().invoke(app, ["models", "info", str(target), "--json"])
    assert json.loads(shown.stdout)["working_size"] == 64


def test_the_base_install_runs_it(exported: Path, tmp_path: Path) -> None:
    from PIL import Image

    Image.fromarray(smooth_picture(60, 80)).save(tmp_path / "a.png")
    heavy = ("torch", "lightning_fabric", "yaml", "onnx")
    paths = str(tmp_path / "a.png"), "-o", str(tmp_path / "b.png")
    done = semilar("remove", *paths, "--model", str(exported), without=heavy)
    assert done.returncode == 0, done.stderr
    known = Remover(model=exported).remove(tmp_path / "a.png").image.pixels
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "b.png")), known)
