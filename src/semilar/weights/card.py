"""The card of a model: what it is, how it wants to be run, what it was made of, how good it is.

A card lies inside the file of weights. Training writes it, `tools/publish_model.py` completes it,
whatever runs, lists, continues or measures a model reads it. A JSON file of the same name beside
the weights is read too, for files that have no card inside; what is inside counts more.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from semilar.errors import ModelError
from semilar.files import write_bytes
from semilar.weights.metadata import (
    content_sha256,
    content_sha256_of,
    read_metadata,
    sha256,
    with_metadata,
)

Domain = Literal["encoded", "linear"]
Facts = Mapping[str, Any]

WORKING_SIZE = 512
"""Of models that do not say: the short side of what the network sees."""
SMALLEST = 16
"""The least working size: what every network takes."""
SUFFIXES = (".onnx", ".safetensors")
"""Of files that hold a model."""
_KEY = "semilar"  # of the text inside a file that is the card


@dataclass(frozen=True)
class Network:
    """Which network the weights belong to: its name in the registry, and its options."""

    name: str
    options: Facts = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ModelCard:
    """What is known of a model. Everything may be missing; what decides pixels has a default."""

    name: str = ""
    purpose: str = ""
    licence: str = ""
    net: Network | None = None
    parameters: int | None = None
    working_size: int = WORKING_SIZE
    """The short side at which the network sees a photo."""
    views: int = 1
    """In how many orientations it sees it (`semilar.restore.views`)."""
    domain: Domain = "encoded"
    """The light that the network takes and gives."""
    light_source: str = ""
    """The rule that puts lamps back after the network (`semilar.restore.light_source`), if any."""
    origin: Facts = field(default_factory=dict)
    """Of an imported model: whose it is, and the file that it came from."""
    data: str = ""
    training: tuple[Facts, ...] = ()
    """One entry for each run, in order: recipe, steps, hours and the like."""
    figures: Facts = field(default_factory=dict)
    """What was measured: a name of the pictures to their number and metrics."""
    limits: str = ""
    photographs: tuple[Facts, ...] = ()
    sha256: Mapping[str, str] = field(default_factory=dict)
    """Of the files that belong to a card beside them, by name."""
    content_sha256: str = ""
    """Of the file that a card is inside of, but for its text."""
    more: Facts = field(default_factory=dict)
    """What other versions or other tools have written."""

    @classmethod
    def from_dict(cls, facts: Facts, *, origin: object = "The card") -> "ModelCard":
        """The card that plain values describe; a wrong one is an error that names `origin`."""
        known = {one.name for one in fields(cls)} - {"more"}
        values = {name: value for name, value in facts.items() if name in known}
        more = {name: value for name, value in facts.items() if name not in known}
        _check(values, origin)
        if isinstance(net := values.get("net"), Mapping):
            values["net"] = Network(net["name"], net.get("options") or {})
        for name in ("training", "photographs"):
            values[name] = tuple(values.get(name) or ())
        return cls(**values, more=more)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what is not known is left out."""
        facts = {one.name: getattr(self, one.name) for one in fields(self)}
        facts |= facts.pop("more")
        if self.net is not None:
            facts["net"] = {"name": self.net.name, "options": dict(self.net.options)}
        for name in ("training", "photographs"):
            facts[name] = list(facts[name])
        return {name: value for name, value in facts.items() if value not in ("", None, [], {})}

    def to_json(self) -> str:
        """The card as the text of a file."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, path: Path) -> "ModelCard":
        """The card of the model at `path`, a .safetensors or .onnx file or a card beside such."""
        beside, inside = _beside(path), _inside(path) if path.suffix in SUFFIXES else {}
        return cls.from_dict({**beside, **inside}, origin=path)

    def inside(self, content: bytes, suffix: str) -> bytes:
        """The `content` of a .safetensors or .onnx file with this card inside."""
        own = replace(self, sha256={}, content_sha256=content_sha256_of(content, suffix))
        text = json.dumps(own.to_dict(), ensure_ascii=False)
        return with_metadata(content, suffix, {_KEY: text})

    def write(self, path: Path, content: bytes, *, force: bool = True) -> None:
        """Write `content` to the .safetensors or .onnx file `path` with this card inside."""
        write_bytes(path, self.inside(content, path.suffix), force=force)


def verify(path: Path) -> None:
    """Check a model's file against the checksum in its card; without one there is none to fail."""
    inside = _inside(path)
    if wanted := inside.get("content_sha256"):
        found = content_sha256(path)
    elif wanted := _beside(path).get("sha256", {}).get(path.name):
        found = sha256(path)
    else:
        return
    if found != wanted:
        raise ModelError(f"{path}: is damaged; its checksum is not the one that its card names.")


def _inside(path: Path) -> dict[str, Any]:
    text = read_metadata(path).get(_KEY)
    return {} if text is None else _parsed(text, path)


def _beside(path: Path) -> dict[str, Any]:
    file = path.with_suffix(".json")
    try:
        return _parsed(file.read_bytes(), file)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ModelError(f"{file}: cannot be read ({error.strerror}).") from None


def _parsed(text: str | bytes, origin: Path) -> dict[str, Any]:
    try:
        facts = json.loads(text)
    except ValueError as error:
        raise ModelError(f"{origin}: cannot be read as a model's card ({error}).") from None
    return facts if isinstance(facts, dict) else {}


def _check(facts: Facts, origin: object) -> None:
    """Whether what decides pixels can be used."""
    wrong = [
        name
        for name, least in (("working_size", SMALLEST), ("views", 1))
        if name in facts and not (isinstance(facts[name], int) and facts[name] >= least)
    ]
    wrong += ["domain"] if facts.get("domain", "encoded") not in get_args(Domain) else []
    net = facts.get("net")
    if net is not None and not (isinstance(net, Mapping) and isinstance(net.get("name"), str)):
        wrong.append("net")
    wrong += [
        name for name in ("figures", "sha256") if not isinstance(facts.get(name, {}), Mapping)
    ]
    if wrong:
        raise ModelError(f"{origin}: {wrong[0]} in its card is {facts[wrong[0]]!r}.")
