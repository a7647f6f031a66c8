"""Models by name or file: what runs them and what their card says."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semilar.errors import SemilarError
from semilar.weights import bundled

DEFAULT_MODEL = "semilar-t"
_SUFFIXES = (".onnx", ".safetensors")


class NoModelError(SemilarError):
    """There is no model of that name or at that place."""


@dataclass(frozen=True, kw_only=True)
class Model:
    """The files of one model. `card` is the JSON file beside them, empty where there is none."""

    name: str
    onnx: Path | None = None
    safetensors: Path | None = None
    card: dict[str, Any] = field(default_factory=dict)

    def need_onnx(self) -> Path:
        """The ONNX file, or a sentence about what to do without one."""
        if self.onnx is None:
            raise NoModelError(
                f"{self.safetensors}: has no .onnx file beside it; use the torch engine."
            )
        return self.onnx

    def need_safetensors(self) -> Path:
        """The safetensors file, or a sentence about what to do without one."""
        if self.safetensors is None:
            raise NoModelError(
                f"{self.onnx}: has no .safetensors file beside it; use the onnx engine."
            )
        return self.safetensors


def find_model(model: str | Path = DEFAULT_MODEL) -> Model:
    """A model that comes with the package, by name, or the one at a path."""
    path = Path(model)
    if path.suffix not in _SUFFIXES:
        if path.exists() or path.parent != Path():
            raise NoModelError(f"{model}: is not a model; those end in {' or '.join(_SUFFIXES)}.")
        path = _bundled(str(model))
    elif not path.is_file():
        raise NoModelError(f"{model}: there is no such file.")
    onnx, safetensors = (
        file if (file := path.with_suffix(suffix)).is_file() else None for suffix in _SUFFIXES
    )
    return Model(name=path.stem, onnx=onnx, safetensors=safetensors, card=_card(path))


def _bundled(name: str) -> Path:
    try:
        return bundled(name)
    except SemilarError:
        raise NoModelError(
            f"No model {name!r} comes with this version; name a file with --model FILE.onnx."
        ) from None


def _card(path: Path) -> dict[str, Any]:
    file = path.with_suffix(".json")
    try:
        card = json.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise NoModelError(f"{file}: cannot be read ({error}).") from None
    return card if isinstance(card, dict) else {}
