"""Engines: what runs a network. One small protocol, three residents, imported when asked for."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from semilar import plugins
from semilar.errors import ModelError
from semilar.photo import Floats
from semilar.restore.models import Model
from semilar.threads import cores


class Engine(Protocol):
    """Anything that finds the scene in pictures; called from several threads at once."""

    def run(self, image: Floats) -> tuple[Floats, Floats]:
        """`image` (B, 3, h, w) in [0, 1] to scene and flare of the same shape.

        All three are *encoded* light, or *linear* where the model's card says so.
        """
        ...


def open_engine(
    model: Model, *, engine: str | None = None, device: str | None = None, threads: int | None
) -> Engine:
    """The engine called `engine` with `model` loaded.

    Left out, it is ONNX Runtime, or PyTorch for a .safetensors file. `device` is what
    the engine calls it ("cpu", "cuda"); `threads` is how many cores the network may use.
    """
    name = engine or model.engine
    make = plugins.find("engines", name, ENGINES)
    if make is None:
        known = ", ".join(plugins.names("engines", ENGINES))
        raise ModelError(f"{name}: no such engine; there are {known}.")
    return make(model, device or "cpu", threads or cores())


def one_by_one(run: Callable[[Floats], tuple[Floats, Floats]], image: Floats) -> tuple[Any, Any]:
    """`run` for an engine whose network takes a single picture: older files fix the batch at 1."""
    scenes, flares = zip(*(run(image[i : i + 1]) for i in range(len(image))), strict=True)
    return np.concatenate(scenes), np.concatenate(flares)


def _onnx(model: Model, device: str, threads: int) -> Engine:
    from semilar.restore.onnx_engine import OnnxEngine

    return OnnxEngine(model.need_onnx(), device=device, threads=threads)


def _torch(model: Model, device: str, threads: int) -> Engine:
    from semilar.restore.torch_engine import TorchEngine

    return TorchEngine(model, device=device, threads=threads)


def _openvino(model: Model, device: str, threads: int) -> Engine:
    from semilar.restore.openvino_engine import OpenVinoEngine

    return OpenVinoEngine(model.need_onnx(), device=device, threads=threads)


ENGINES: dict[str, Callable[[Model, str, int], Engine]] = {
    "onnx": _onnx,
    "torch": _torch,
    "openvino": _openvino,
}
