"""Models by name or file: what runs them and what their card says."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semilar.errors import ModelError
from semilar.weights.manifest import BUNDLED

DEFAULT_MODEL = "semilar-t"
_SUFFIXES = (".onnx", ".safetensors")


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
            raise ModelError(
                f"{self.safetensors}: has no .onnx file beside it; use the torch engine."
            )
        return self.onnx

    def need_safetensors(self) -> Path:
        """The safetensors file, or a sentence about what to do without one."""
        if self.safetensors is None:
            raise ModelError(
                f"{self.onnx}: has no .safetensors file beside it; use the onnx engine."
            )
        return self.safetensors


def find_model(model: str | Path = DEFAULT_MODEL) -> Model:
    """A model that comes with the package, by name, or the one at a path."""
    path = Path(model)
    if path.suffix not in _SUFFIXES:
        if path.exists() or path.parent != Path():
            raise ModelError(f"{model}: is not a model; those end in {' or '.join(_SUFFIXES)}.")
        there = {one.name: one for one in bundled_models()}
        if str(model) not in there:
            raise ModelError(
                f"No model {str(model)!r} comes with this version; there are: {', '.join(there)}; "
                "or give the path of an .onnx or .safetensors file."
            )
        return there[str(model)]
    if not path.is_file():
        raise ModelError(f"{model}: there is no such file.")
    return _at(path)


def bundled_models() -> list[Model]:
    """The models that come with the package; scorers and other weights are not among them."""
    cards = sorted(BUNDLED.glob("*.json"))
    return [model for model in map(_at, cards) if model.onnx or "net" in model.card]


def _at(path: Path) -> Model:
    onnx, safetensors = (
        file if (file := path.with_suffix(suffix)).is_file() else None for suffix in _SUFFIXES
    )
    return Model(name=path.stem, onnx=onnx, safetensors=safetensors, card=_card(path))


def _card(path: Path) -> dict[str, Any]:
    file = path.with_suffix(".json")
    try:
        card = json.loads(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelError(f"{file}: cannot be read ({error}).") from None
    return card if isinstance(card, dict) else {}
