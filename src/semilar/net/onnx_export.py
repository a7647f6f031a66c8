"""A network as an ONNX file with free batch, height and width."""

import contextlib
import copy
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from semilar.files import atomic_path
from semilar.net.interface import MIN_SIZE

OPSET = 18
_FEW = 64  # numbers; tensors of fewer are not worth a smaller type


@contextlib.contextmanager
def _quiet_exporter() -> Iterator[None]:
    """The exporter reports every operator of packages that are not there; nobody asked."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def export(net: nn.Module, path: Path, *, half: bool = False) -> None:
    """Write `net` to `path`, whole or not at all.

    Input `image` (B, 3, H, W) float32, encoded light in [0, 1]; outputs `scene` and `flare` of the
    same shape. B is free, H and W are from 16 up. The network itself is left as it was. With
    `half` the weights are stored as float16, half the size; the network computes in float32.
    """
    net = copy.deepcopy(net).float().cpu().eval()
    example = torch.rand(2, 3, 90, 118)
    batch = torch.export.Dim("batch", min=1)
    height = torch.export.Dim("height", min=MIN_SIZE)
    width = torch.export.Dim("width", min=MIN_SIZE)
    with warnings.catch_warnings(), _quiet_exporter():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            net,
            (example,),
            dynamo=True,
            opset_version=OPSET,
            input_names=["image"],
            output_names=["scene", "flare"],
            dynamic_shapes=({0: batch, 2: height, 3: width},),
            verbose=False,
        )
    if program is None:
        raise RuntimeError("torch.onnx.export gave no program")
    for node in program.model.graph:
        node.metadata_props.clear()  # stack traces with the paths of this computer
    with atomic_path(Path(path)) as temporary:
        program.save(temporary, external_data=False)
        if half:
            _store_half(temporary)


def _store_half(path: Path) -> None:
    """Keep an ONNX file's weights as float16; engines turn them back once, when they load it."""
    model = onnx.load(path)
    casts = []
    for tensor in list(model.graph.initializer):
        if tensor.data_type != TensorProto.FLOAT or np.prod(tensor.dims) < _FEW:
            continue
        half = numpy_helper.from_array(
            numpy_helper.to_array(tensor).astype(np.float16), f"{tensor.name}.half"
        )
        casts.append(helper.make_node("Cast", [half.name], [tensor.name], to=TensorProto.FLOAT))
        model.graph.initializer.remove(tensor)
        model.graph.initializer.append(half)
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, path)
