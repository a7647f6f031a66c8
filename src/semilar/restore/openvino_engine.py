"""OpenVINO: often the fastest engine on processors; an extra."""

from pathlib import Path

import numpy as np

from semilar.errors import ModelError
from semilar.extras import load_extra
from semilar.photo import Floats
from semilar.restore.engines import one_by_one


class OpenVinoEngine:
    """A network in an ONNX file: input `image`, outputs `scene` and `flare`."""

    def __init__(self, path: Path, *, device: str = "cpu", threads: int = 1) -> None:
        openvino = load_extra("openvino", "openvino")
        core = openvino.Core()
        name = device.upper()
        if name not in {one.partition(".")[0] for one in core.available_devices}:
            there = ", ".join(one.lower() for one in core.available_devices)
            raise ModelError(
                f"{device}: the openvino engine has no such device here; it has {there}."
            )
        settings = {"INFERENCE_PRECISION_HINT": "f32"}
        if name == "CPU":
            settings["INFERENCE_NUM_THREADS"] = str(threads)
        try:
            self.compiled = core.compile_model(str(path), name, settings)
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[0]
            raise ModelError(f"{path}: is not a model that can be run ({reason}).") from None
        self.single = self.compiled.input("image").partial_shape[0] == openvino.Dimension(1)

    def run(self, image: Floats) -> tuple[Floats, Floats]:
        """See `semilar.restore.engines.Engine`."""
        if self.single and len(image) > 1:
            return one_by_one(self.run, image)
        request = self.compiled.create_infer_request()  # a request belongs to one thread
        results = request.infer({"image": image})
        return np.array(results["scene"]), np.array(results["flare"])
