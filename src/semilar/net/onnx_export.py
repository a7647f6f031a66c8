"""A network as an ONNX file with free height and width."""

import contextlib
import copy
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import nn

from semilar.files import atomic_path
from semilar.net.interface import MIN_SIZE

OPSET = 18


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


def export(net: nn.Module, path: Path) -> None:
    """Write `net` to `path`, whole or not at all.

    Input `image` (1, 3, H, W) float32, encoded light in [0, 1]; outputs `scene` and `flare` of the
    same shape. H and W are free from 16 up. The network itself is left as it was.
    """
    net = copy.deepcopy(net).float().cpu().eval()
    example = torch.rand(1, 3, 90, 118)
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
            dynamic_shapes=({2: height, 3: width},),
            verbose=False,
        )
    if program is None:
        raise RuntimeError("torch.onnx.export gave no program")
    for node in program.model.graph:
        node.metadata_props.clear()  # stack traces with the paths of this computer
    with atomic_path(Path(path)) as temporary:
        program.save(temporary, external_data=False)
