"""The parameter names and shapes of the networks whose weights are fetched."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from semilar.errors import ModelError

Arrays = dict[str, NDArray[np.float32]]

# torchvision's position of each convolution inside `features`, with its (out, in, size).
VGG16 = {
    0: (64, 3, 3),
    2: (64, 64, 3),
    5: (128, 64, 3),
    7: (128, 128, 3),
    10: (256, 128, 3),
    12: (256, 256, 3),
    14: (256, 256, 3),
    17: (512, 256, 3),
    19: (512, 512, 3),
    21: (512, 512, 3),
    24: (512, 512, 3),
    26: (512, 512, 3),
    28: (512, 512, 3),
}
ALEXNET = {0: (64, 3, 11), 3: (192, 64, 5), 6: (384, 192, 3), 8: (256, 384, 3), 10: (256, 256, 3)}


def _convolutions(table: Mapping[int, tuple[int, int, int]]) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {}
    for position, (out, into, size) in table.items():
        shapes[f"features.{position}.weight"] = (out, into, size, size)
        shapes[f"features.{position}.bias"] = (out,)
    return shapes


# The shapes `load` promises. MUSIQ's are checked by the network that reads them.
SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "vgg16": _convolutions(VGG16),
    "alexnet": _convolutions(ALEXNET),
    "lpips-alex": {
        f"lin{i}.model.1.weight": (1, out, 1, 1) for i, (out, _, _) in enumerate(ALEXNET.values())
    },
}


def from_flax(name: str, arrays: Arrays) -> Arrays:
    """Flax's names and (height, width, in, out) kernels to torchvision's."""
    if name == "lpips-alex":
        return {
            f"lin{i}.model.1.weight": _to_oihw(arrays[f"NetLinLayer_{i}/Conv_0/kernel"])
            for i in range(len(ALEXNET))
        }
    table, trunk = (VGG16, "VGG16_0") if name == "vgg16" else (ALEXNET, "AlexNet_0")
    tensors: Arrays = {}
    for i, position in enumerate(table):
        tensors[f"features.{position}.weight"] = _to_oihw(arrays[f"{trunk}/Conv_{i}/kernel"])
        tensors[f"features.{position}.bias"] = arrays[f"{trunk}/Conv_{i}/bias"]
    return tensors


def checked(name: str, tensors: Arrays, file: str) -> Arrays:
    """The tensors that belong to `name`, after a look at names, shapes and values.

    Further tensors (torchvision's classifier) are dropped; a missing or misshapen one is an error.
    """
    expected = SHAPES.get(name)
    if expected is None:
        return tensors
    for key, shape in expected.items():
        if key not in tensors:
            raise ModelError(f"{file}: has no tensor {key!r}, so it is not {name!r}.")
        if tensors[key].shape != shape:
            raise ModelError(
                f"{file}: tensor {key!r} has shape {tensors[key].shape}, {name!r} needs {shape}."
            )
        if not np.isfinite(tensors[key]).all():
            raise ModelError(f"{file}: tensor {key!r} holds values that are not finite.")
    return {key: np.ascontiguousarray(tensors[key], np.float32) for key in expected}


def _to_oihw(kernel: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.ascontiguousarray(kernel.transpose(3, 2, 0, 1))
