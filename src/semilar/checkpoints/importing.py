"""A checkpoint that the person has, kept as a model of this package."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor

from semilar.checkpoints.layout import Layout
from semilar.checkpoints.layouts import choose
from semilar.checkpoints.reading import Tensors, read_tensors
from semilar.errors import ModelError, OutputExistsError
from semilar.net import FlareNet, build
from semilar.weights import BUNDLED, ModelCard, Network, models_folder, sha256

UNKNOWN_LICENCE = "unknown, see origin"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_NAMED = 3  # keys that an error names
_COUNTER = "num_batches_tracked"  # old files lack it, and nothing depends on it
_WORKING_SIZE = 512  # at which all of these networks were trained and tested


@dataclass(frozen=True)
class Imported:
    """What `import_checkpoint` made: the model's file, and what its card says first."""

    path: Path
    title: str
    parameters: int
    licence: str


def import_checkpoint(
    file: Path,
    *,
    name: str | None = None,
    layout: str = "auto",
    licence: str = UNKNOWN_LICENCE,
    force: bool = False,
) -> Imported:
    """Keep the checkpoint `file` as the model `name` in the folder of the person's models.

    Left out, `name` is made of the file's. Nothing in the file is run, and nothing is kept unless
    every tensor found its place.
    """
    target = models_folder() / f"{_checked_name(name or _name_of(file))}.safetensors"
    if target.exists() and not force:
        raise OutputExistsError(f"{target.stem}: there is a model of this name already.")
    tensors = read_tensors(file)
    chosen = choose(layout, {key: tuple(value.shape) for key, value in tensors.items()}, str(file))
    net, spec = _network(chosen, tensors, file)
    state = _mapped(chosen, tensors, net.state_dict(), file)
    card = _card(chosen, spec, net, name=target.stem, file=file, licence=licence)
    target.parent.mkdir(parents=True, exist_ok=True)
    card.write(target, save(state), force=force)
    return Imported(target, chosen.title, card.parameters or 0, licence)


def _network(layout: Layout, tensors: Tensors, file: Path) -> tuple[FlareNet, Network]:
    """The network of the size that the shapes tell, without memory, and how to build it."""
    shapes = {key: tuple(value.shape) for key, value in tensors.items()}
    try:
        options = layout.options(shapes)
    except KeyError as error:
        raise ModelError(f"{file}: is not {layout.title}: it has no {error.args[0]}.") from None
    except (IndexError, ZeroDivisionError):
        raise ModelError(f"{file}: is not {layout.title}: its shapes do not fit.") from None
    planes = options.get("outputs", 3)
    if planes not in layout.outputs:
        raise ModelError(
            f"{file}: ends in {planes} planes; {layout.title} has "
            f"{' or '.join(map(str, layout.outputs))}."
        )
    try:
        with torch.device("meta"):
            net = build(layout.network, **options)
    except (ValueError, IndexError, ZeroDivisionError, RuntimeError, TypeError) as error:
        raise ModelError(f"{file}: is not {layout.title} ({error}).") from None
    return net, Network(layout.network, options)


def _mapped(layout: Layout, tensors: Tensors, wanted: Tensors, file: Path) -> Tensors:
    """The published tensors at their places in our network, every one of which is filled."""
    parts: dict[str, dict[int, Tensor]] = {}
    source: dict[str, str] = {}
    unknown = []
    for key, value in tensors.items():
        places = layout.places(key)
        if any(ours not in wanted for ours, _ in places):
            unknown.append(key)
            continue
        pieces = value.chunk(len(places)) if len(places) > 1 else [value]
        for (ours, part), piece in zip(places, pieces, strict=False):
            parts.setdefault(ours, {})[part] = piece
            source[ours] = key
    for ours, place in wanted.items():
        if ours.endswith(_COUNTER):
            parts.setdefault(ours, {0: torch.zeros(place.shape, dtype=place.dtype)})
    missing = [ours for ours in wanted if ours not in parts]
    if unknown or missing:
        wrong = [(unknown, "unknown"), (missing, "missing (as we call them)")]
        told = "; ".join(f"{len(keys)} {what}: {_some(keys)}" for keys, what in wrong if keys)
        raise ModelError(f"{file}: is not {layout.title}; of its keys {told}.")
    return {
        ours: _fitted(_joined(pieces), wanted[ours], source.get(ours, ours), file)
        for ours, pieces in parts.items()
    }


def _joined(pieces: dict[int, Tensor]) -> Tensor:
    if len(pieces) == 1:
        return next(iter(pieces.values()))
    return torch.cat([pieces[part] for part in sorted(pieces)])


def _fitted(value: Tensor, place: Tensor, key: str, file: Path) -> Tensor:
    """`value` in the shape of `place`: a layer per pixel is a matrix there, a convolution here."""
    if [side for side in value.shape if side > 1] != [side for side in place.shape if side > 1]:
        raise ModelError(
            f"{file}: {key} is {_by(value.shape)}, which does not fit {_by(place.shape)}."
        )
    return value.reshape(place.shape).to(place.dtype).clone(memory_format=torch.contiguous_format)


def _card(
    layout: Layout, spec: Network, net: FlareNet, *, name: str, file: Path, licence: str
) -> ModelCard:
    return ModelCard(
        name=name,
        purpose=f"{layout.title}, imported",
        net=spec,
        parameters=sum(parameter.numel() for parameter in net.parameters()),
        working_size=_WORKING_SIZE,
        licence=licence,
        light_source=layout.light_source or "",
        origin={
            "project": layout.origin,
            "format": layout.name,
            "file": file.name,
            "sha256": sha256(file),
        },
    )


def _name_of(file: Path) -> str:
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", file.stem).strip("-._") or "imported"


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name) or name.endswith((".onnx", ".safetensors")):
        raise ModelError(f"{name!r}: a model's name has letters, digits and . _ + - only.")
    if (BUNDLED / f"{name}.json").exists():
        raise ModelError(f"{name}: a model of this name comes with the package; give another.")
    return name


def _some(keys: list[str]) -> str:
    shown = [key.removeprefix("module.body.") for key in keys[:_NAMED]]
    return ", ".join(shown) + (", ..." if len(keys) > _NAMED else "")


def _by(shape: Iterable[int]) -> str:
    return " x ".join(map(str, shape)) or "a single number"
