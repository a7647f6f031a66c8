"""A trained model as an ONNX file, which the base install runs, proven to be the same network."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from semilar.errors import ModelError, OutputExistsError, SettingError
from semilar.extras import load_extra
from semilar.files import atomic_path
from semilar.photo import Floats
from semilar.restore.engines import Engine
from semilar.restore.models import find_model
from semilar.restore.torch_engine import load_network
from semilar.restore.views import ORIENTATIONS
from semilar.weights import SMALLEST, ModelCard

# The largest difference from the network in torch, encoded light: a tenth of an 8-bit level, or a
# whole one where the weights lose digits.
EXACT, HALF = 0.1 / 255, 1 / 255
_SAMPLES = ((2, 192, 256), (1, 225, 163), (1, 16, 16))  # pictures at once, height, width


@dataclass(frozen=True)
class Exported:
    """What was written: the file, and its largest difference from the network in torch."""

    path: Path
    difference: float
    card: ModelCard


def export_model(
    model: str | Path,
    target: str | Path,
    *,
    half: bool = False,
    working_size: int | None = None,
    views: int | None = None,
    force: bool = False,
) -> Exported:
    """Write a model with weights in a .safetensors file as an ONNX file with its card inside.

    `half` stores the weights in half precision. `working_size` and `views` go into the card in
    place of the model's own. The file takes its place only once it has given what the network in
    torch gives, on sample pictures; an existing file is only replaced with `force`.
    """
    target = Path(target)
    if target.suffix != ".onnx":
        raise SettingError(f"{target}: the name of an exported model ends in .onnx.")
    if target.exists() and not force:
        raise OutputExistsError(f"{target}: already exists.")
    if working_size is not None and working_size < SMALLEST:
        raise SettingError(f"A working size of {working_size} is below {SMALLEST} pixels.")
    if views is not None and not 1 <= views <= len(ORIENTATIONS):
        raise SettingError(f"{views} views are not between 1 and {len(ORIENTATIONS)}.")
    files = find_model(model)
    net = load_network(files)
    card = replace(
        files.card,
        working_size=working_size or files.card.working_size,
        views=views or files.card.views,
    )
    difference = export_network(net, target, card, half=half, force=force)
    return Exported(target, difference, card)


def export_network(
    net: Any, target: Path, card: ModelCard, *, half: bool = False, force: bool = False
) -> float:
    """Write a network of torch as an ONNX file with `card` inside; gives the largest difference."""
    load_extra("onnx", "train", what="Exporting")
    from semilar.net.onnx_export import export
    from semilar.restore.onnx_engine import OnnxEngine  # it loads ONNX Runtime

    with atomic_path(target, force=force) as temporary:
        export(net, temporary, half=half)
        difference = largest_difference(net, OnnxEngine(temporary))
        if not difference <= (HALF if half else EXACT):
            raise ModelError(
                f"{target}: is not written; the exported network differs from the one in torch by "
                f"{255 * difference:.2f} of 255 levels."
            )
        card.write(temporary, temporary.read_bytes())
    return difference


def largest_difference(net: Any, engine: Engine) -> float:
    """Between a network in torch and what an engine makes of it, over sample pictures."""
    torch = load_extra("torch", "train")
    largest = []
    for number, (count, height, width) in enumerate(_SAMPLES):
        pictures = np.stack([_sample(number + i, height, width) for i in range(count)])
        with torch.inference_mode():
            expected = [one.numpy() for one in net(torch.from_numpy(pictures))]
        found = engine.run(pictures)
        largest += [float(np.abs(a - b).max()) for a, b in zip(expected, found, strict=True)]
    return float(np.max(largest))  # not a number stays so


def _sample(seed: int, height: int, width: int) -> Floats:
    """A drawn night picture with flare (3, H, W), *encoded* light."""
    from semilar.flare import SynthSettings, night_scene, synthesize

    size = 192, 256
    settings = SynthSettings.preset("strong")
    sample = synthesize(night_scene(seed, size), seed=seed, settings=settings, size=size)
    rows, columns = np.arange(height) % size[0], np.arange(width) % size[1]
    return np.ascontiguousarray(sample.input[rows][:, columns].transpose(2, 0, 1), np.float32)
