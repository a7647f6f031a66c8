"""Settings as plain mappings, for manifests and recipes, and back."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from semilar.errors import SemilarError
from semilar.flare.settings import SynthSettings


def to_mapping(settings: SynthSettings) -> dict[str, Any]:
    """Every number by name, nested as the settings are; JSON takes it."""
    return dataclasses.asdict(settings)


def from_mapping(mapping: Mapping[str, Any], where: str = "settings") -> SynthSettings:
    """The inverse of `to_mapping`; left-out names keep their defaults, unknown ones are errors."""
    return changed(SynthSettings(), mapping, where)


def changed(settings: Any, changes: Mapping[str, Any], where: str) -> Any:
    """`settings` with the named values replaced, at any depth."""
    known = {field.name for field in dataclasses.fields(settings)}
    new: dict[str, Any] = {}
    for name, value in changes.items():
        if name not in known:
            names = ", ".join(sorted(known))
            raise SemilarError(f"{where}.{name}: no such setting; there are {names}.")
        old = getattr(settings, name)
        if dataclasses.is_dataclass(old):
            new[name] = changed(old, value, f"{where}.{name}")
        else:
            new[name] = tuple(value) if isinstance(value, list) else value
    return dataclasses.replace(settings, **new)
