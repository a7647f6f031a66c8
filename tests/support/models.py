"""Networks small enough to look through: what a test needs where any network will do."""

from pathlib import Path

import onnx
from onnx import TensorProto, helper


def dimming_model(path: Path, *, keep: float = 0.6) -> Path:
    """An ONNX file with the interface of a flare network that calls part of all light flare.

    `scene` is `keep` times the (encoded) picture, `flare` the rest; any height and width.
    """
    shape = [1, 3, "height", "width"]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, shape)
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("scene", "flare")
    ]
    nodes = [
        helper.make_node("Mul", ["image", "keep"], ["scene"]),
        helper.make_node("Sub", ["image", "scene"], ["flare"]),
    ]
    factor = helper.make_tensor("keep", TensorProto.FLOAT, [], [keep])
    graph = helper.make_graph(nodes, "dimming", [image], outputs, [factor])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path
