"""ONNX Runtime: the default engine, no torch needed."""

from pathlib import Path

import numpy as np

from semilar.errors import ModelError
from semilar.photo import Floats
from semilar.restore.engines import one_by_one
from semilar.threads import nothing_is_reported

nothing_is_reported()
import onnxruntime  # noqa: E402 (reads what was said when it is loaded)

_PROVIDERS = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "directml": "DmlExecutionProvider",
}


class OnnxEngine:
    """A network in an ONNX file: input `image`, outputs `scene` and `flare`."""

    def __init__(self, path: Path, *, device: str = "cpu", threads: int = 1) -> None:
        there = [name for name, one in _PROVIDERS.items() if _available(one)]
        if device not in there:
            raise ModelError(
                f"{device}: the onnx engine has no such device here; it has {', '.join(there)}."
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Threads that spin between two operators would take cores from the other photos.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            self.session = onnxruntime.InferenceSession(
                path, options, providers=[_PROVIDERS[device]]
            )
        except Exception as error:  # its exceptions share no base class
            raise ModelError(f"{path}: is not a model that can be run ({_line(error)}).") from None
        names = [one.name for one in (*self.session.get_inputs(), *self.session.get_outputs())]
        if names != ["image", "scene", "flare"]:
            raise ModelError(
                f"{path}: is no flare model; it has {', '.join(names)} "
                "instead of image, scene, flare."
            )
        self.single = self.session.get_inputs()[0].shape[0] == 1
        # Photos differ in size: what one needed is given back before the next.
        self.after = onnxruntime.RunOptions()
        if device == "cpu":
            self.after.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")

    def run(self, image: Floats) -> tuple[Floats, Floats]:
        """See `semilar.restore.engines.Engine`."""
        if self.single and len(image) > 1:
            return one_by_one(self.run, image)
        try:
            scene, flare = self.session.run(["scene", "flare"], {"image": image}, self.after)
        except Exception as error:  # its exceptions share no base class
            raise ModelError(f"The network cannot be run ({_line(error)}).") from None
        return np.asarray(scene), np.asarray(flare)


def _available(provider: str) -> bool:
    return provider in onnxruntime.get_available_providers()


def _line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
