"""Models by name or file: what runs them and what their card says."""

from dataclasses import dataclass, field
from pathlib import Path

from semilar.errors import ModelError
from semilar.weights import BUNDLED, SUFFIXES, ModelCard, content_sha256, models_folder, verify

DEFAULT_MODEL = "semilar-t"


@dataclass(frozen=True, kw_only=True)
class Model:
    """The files of one model, and its card. A file is checked when it is asked for to be run."""

    name: str
    onnx: Path | None = None
    safetensors: Path | None = None
    card: ModelCard = field(default_factory=ModelCard)
    engine: str = "onnx"
    """What runs it unless another is asked for."""

    def fingerprint(self) -> str:
        """Tells this model from another of its name: weights, working size, views and light."""
        file, card = self.onnx or self.safetensors, self.card
        content = content_sha256(file) if file else ""
        return f"{content} {card.working_size} {card.views} {card.domain}"

    def need_onnx(self) -> Path:
        """The ONNX file, or an error that says what to do without one."""
        return _verified(self.onnx, ".onnx", self.safetensors, "torch")

    def need_safetensors(self) -> Path:
        """The safetensors file, or an error that says what to do without one."""
        return _verified(self.safetensors, ".safetensors", self.onnx, "onnx")


def _verified(file: Path | None, suffix: str, other: Path | None, engine: str) -> Path:
    if file is None:
        raise ModelError(f"{other}: has no {suffix} file beside it; use the {engine} engine.")
    verify(file)
    return file


def find_model(model: str | Path = DEFAULT_MODEL) -> Model:
    """A model by name (`known_models`), or the one at a path."""
    path = Path(model)
    if path.suffix not in SUFFIXES:
        if path.parent != Path():
            raise ModelError(f"{model}: is not a model; those end in {' or '.join(SUFFIXES)}.")
        there = {one.name: one for one in known_models()}  # a folder of that name does not matter
        if str(model) not in there:
            raise ModelError(
                f"No model is called {str(model)!r}; there are: {', '.join(there)}; "
                "or give the path of an .onnx or .safetensors file."
            )
        return there[str(model)]
    if not path.is_file():
        raise ModelError(f"{model}: there is no such file.")
    return _at(path)


def bundled_models() -> list[Model]:
    """The models that come with the package; scorers and other weights are not among them."""
    cards = sorted(BUNDLED.glob("*.json"))
    return [model for model in map(_at, cards) if model.onnx or model.card.net]


def imported_models() -> list[Model]:
    """The person's own models, which `semilar models import` keeps."""
    return [_at(file) for file in sorted(models_folder().glob("*.safetensors"))]


def known_models() -> list[Model]:
    """Every model that has a name: those of the package, then the person's own."""
    return [*bundled_models(), *imported_models()]


def _at(path: Path) -> Model:
    onnx, safetensors = (
        file if (file := path.with_suffix(suffix)).is_file() else None for suffix in SUFFIXES
    )
    own = path if path.suffix in SUFFIXES else onnx or safetensors or path
    return Model(
        name=path.stem,
        onnx=onnx,
        safetensors=safetensors,
        card=ModelCard.read(own),
        engine="torch" if own.suffix == ".safetensors" else "onnx",
    )
