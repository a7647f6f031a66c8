"""One convolution as a network: in torch here, as an ONNX graph in `write`."""

import json
from pathlib import Path

import onnx
import torch
from onnx import TensorProto, helper
from safetensors.torch import save_file
from torch import Tensor

from semilar.net import FlareNet


class Tiny(FlareNet):
    """Flare is a rectified 5 x 5 convolution; the scene is what is left."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.conv = torch.nn.Conv2d(3, 3, 5, padding=2)

    def planes(self, picture: Tensor) -> Tensor:
        """The change of the scene, and the flare."""
        flare = torch.relu(self.conv(picture))
        return torch.cat([-flare, flare], dim=1)


def write(folder: Path) -> Path:
    """The network as tiny.onnx and tiny.safetensors; the path of the first."""
    net = Tiny()
    header = {"semilar": json.dumps({"net": {"name": "tests.restore.tiny:Tiny", "options": {}}})}
    save_file(net.state_dict(), folder / "tiny.safetensors", metadata=header)
    shape = [1, 3, "height", "width"]
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name in ("image", "scene", "flare")
    ]
    nodes = [
        helper.make_node("Conv", ["image", "weight", "bias"], ["raw"], pads=[2, 2, 2, 2]),
        helper.make_node("Relu", ["raw"], ["flare"]),
        helper.make_node("Sub", ["image", "flare"], ["scene"]),
    ]
    weights = [
        helper.make_tensor(name, TensorProto.FLOAT, list(one.shape), one.flatten().tolist())
        for name, one in (("weight", net.conv.weight), ("bias", net.conv.bias))
        if one is not None
    ]
    graph = helper.make_graph(nodes, "tiny", values[:1], values[1:], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, folder / "tiny.onnx")
    return folder / "tiny.onnx"
