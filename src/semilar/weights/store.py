"""Finding and reading weights on this computer. Nothing here touches the network."""

from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import load_file

from semilar.errors import ModelError, WeightsMissingError
from semilar.weights import manifest
from semilar.weights.cache import cached
from semilar.weights.card import SUFFIXES
from semilar.weights.layouts import Arrays


def bundled(name: str, *, suffix: str | None = None) -> Path:
    """The file of a model that comes with the package: ONNX if there is one, else safetensors.

    `suffix` (".onnx", ".safetensors" or ".json") asks for one kind of file.
    """
    for ending in [suffix] if suffix else SUFFIXES:
        if (file := manifest.BUNDLED / f"{name}{ending}").is_file():
            return file
    there = sorted(card.stem for card in manifest.BUNDLED.glob("*.json"))
    if name in there:
        raise ModelError(f"{name}: no {suffix} file of it comes with the package.")
    raise ModelError(
        f"No model {name!r} comes with the package; there are: {', '.join(there) or 'none'}."
    )


def locate(name: str) -> Path:
    """The file of the weights called `name`; if it is missing, the error says how to get it."""
    entry = manifest.entry(name)
    if entry.origin == "bundled":
        return bundled(name)
    file = cached(name)
    if not file.is_file():
        raise _missing(entry)
    return file


def load(name: str) -> Arrays:
    """The tensors of the weights called `name`, by torchvision's parameter names.

    Convolution kernels are (out, in, height, width) float32: `features.0.weight` and so on.
    The LPIPS heads are `lin0.model.1.weight` (1, C, 1, 1) to `lin4.model.1.weight`.
    """
    entry = manifest.entry(name)
    file = bundled(name, suffix=".safetensors") if entry.origin == "bundled" else locate(name)
    try:
        return load_file(file)
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{file}: cannot be read as safetensors ({error}).") from None


def _missing(entry: manifest.WeightsEntry) -> WeightsMissingError:
    return WeightsMissingError(
        f"The weights {entry.name!r} are not on this computer. Get them with "
        f"`semilar weights fetch {entry.name}` ({entry.size / 1e6:.0f} MB from "
        f"{entry.source}), or without a network with `semilar weights import {entry.name} FILE`"
        f", where FILE is {entry.accepts}."
    )
