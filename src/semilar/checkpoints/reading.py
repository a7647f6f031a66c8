"""Files of tensors, read without running anything that they hold."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from semilar.errors import ModelError

Tensors = dict[str, Tensor]

# Where training code puts the network inside a checkpoint; averaged weights first.
_WRAPPERS = (
    "params_ema",
    "ema",
    "params",
    "state_dict",
    "model_state_dict",
    "state_dict_ema",
    "model",
    "net",
    "generator",
)
_PREFIXES = ("module.", "_orig_mod.")  # DataParallel's and torch.compile's


def read_tensors(file: Path) -> Tensors:
    """The network's tensors in `file` by their names there; anything else is an error."""
    if not file.is_file():
        raise ModelError(f"{file}: there is no such file.")
    found = _read_safetensors(file) if file.suffix == ".safetensors" else _read_torch(file)
    tensors = _unwrapped(found)
    if not tensors:
        raise ModelError(f"{file}: holds no tensors of a network.")
    size = file.stat().st_size
    if any(value.numel() * value.element_size() > size for value in tensors.values()):
        raise ModelError(f"{file}: claims to hold more than it does.")
    broken = [name for name, value in tensors.items() if not bool(torch.isfinite(value).all())]
    if broken:
        raise ModelError(f"{file}: {broken[0]} holds values that are not finite.")
    return tensors


def _read_safetensors(file: Path) -> Tensors:
    try:
        return load_file(file)
    except (SafetensorError, OSError, ValueError) as error:
        raise ModelError(f"{file}: cannot be read as safetensors ({_line(error)}).") from None


def _read_torch(file: Path) -> Any:
    try:
        with warnings.catch_warnings():  # of old pickles, and for whoever wrote the file
            warnings.simplefilter("ignore")
            return torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # what torch raises depends on where the rubbish begins
        raise ModelError(
            f"{file}: is not a checkpoint of plain tensors ({_reason(error)}); nothing in it ran."
        ) from None


def _unwrapped(found: Any) -> Tensors:
    """The dictionary of tensors inside wrappers such as BasicSR's `params`, prefixes removed."""
    for _ in range(3):
        inner = next(
            (
                found[name]
                for name in _WRAPPERS
                if isinstance(found, Mapping) and isinstance(found.get(name), Mapping)
            ),
            None,
        )
        if inner is None:
            break
        found = inner
    if not isinstance(found, Mapping):
        return {}
    return {_bare(str(key)): value for key, value in found.items() if torch.is_tensor(value)}


def _bare(key: str) -> str:
    while key.startswith(_PREFIXES):
        key = key.partition(".")[2]
    return key


def _reason(error: Exception) -> str:
    """The first line; of torch's advice how to switch the safety off, only what was refused."""
    text = str(error)
    for mark in ("Unsupported global: GLOBAL ", "Unsupported class "):
        if mark in text:
            return f"it asks for {text.partition(mark)[2].split()[0]}"
    if "Weights only load failed" in text:
        return "it asks for more than tensors"
    return _line(error)


def _line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].removesuffix(".")[:120] if lines else type(error).__name__
