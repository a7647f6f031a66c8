"""The same numbers from ONNX Runtime and from torch.compile."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch

from semilar.net import FlareNet, build
from semilar.net.onnx_export import export
from tests.net.conftest import SHALLOW, awake

SIZES = [(1, 64, 64), (3, 33, 47), (2, 16, 90)]


def assert_same_in_onnx(net: FlareNet, file: Path) -> None:
    """Export, and compare with PyTorch at three sizes, one of them odd, in batches."""
    export(net, file)
    session = onnxruntime.InferenceSession(file)
    assert [value.name for value in session.get_inputs()] == ["image"]
    assert [value.name for value in session.get_outputs()] == ["scene", "flare"]
    for shape in SIZES:
        picture = torch.rand(shape[0], 3, *shape[1:])
        with torch.no_grad():
            expected = net(picture)
        got = session.run(None, {"image": picture.numpy()})
        for ours, theirs in zip(expected, got, strict=True):
            np.testing.assert_allclose(np.asarray(theirs), ours.numpy(), atol=1e-4, rtol=0)


def test_onnx_of_raliformer_t_agrees_and_the_net_is_left_alone(tmp_path: Path, shallow) -> None:
    net = shallow("raliformer-t").train()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    assert_same_in_onnx(net, tmp_path / "net.onnx")
    assert net.training
    assert all(torch.equal(before[name], value) for name, value in net.state_dict().items())
    assert [file.name for file in tmp_path.iterdir()] == ["net.onnx"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SHALLOW if name != "raliformer-t"])
def test_onnx_of_every_kind_agrees(name: str, tmp_path: Path, shallow) -> None:
    assert_same_in_onnx(shallow(name), tmp_path / f"{name}.onnx")


@pytest.mark.slow
def test_onnx_of_raliformer_t_at_its_own_size(tmp_path: Path) -> None:
    torch.manual_seed(0)
    assert_same_in_onnx(awake(build("raliformer-t")), tmp_path / "net.onnx")


def assert_same_compiled(net: FlareNet, backend: str) -> None:
    compiled = torch.compile(net, backend=backend, fullgraph=True)
    picture = torch.rand(1, 3, 40, 33)
    with torch.no_grad():
        for ours, theirs in zip(net(picture), compiled(picture), strict=True):
            torch.testing.assert_close(theirs, ours, atol=1e-4, rtol=1e-4)


def test_raliformer_t_is_one_graph_for_torch_compile(shallow) -> None:
    assert_same_compiled(shallow("raliformer-t"), "aot_eager")


@pytest.mark.slow
@pytest.mark.parametrize("name", SHALLOW)
def test_compiled_code_agrees(name: str, shallow) -> None:
    assert_same_compiled(shallow(name), "inductor")
