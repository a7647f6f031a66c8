"""Changes to a preset of the simulator, checked against the types of its settings."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

from semilar.errors import SemilarError

_NAMES = {float: "a number", int: "a whole number", bool: "true or false", str: "a word"}
_SHARES = ("probability", "flare_free", "off_frame", "one_sided", "broken", "jpeg", "reflective")


def check_changes(settings: Any, changes: Any, where: str) -> None:
    """Raise the error that names the first value which is not what its setting takes.

    `settings` is a tree of dataclasses, `changes` a tree of plain values over part of it. Names
    that do not exist are left to `semilar.flare.mapping.changed`.
    """
    if not isinstance(changes, Mapping):
        names = ", ".join(field.name for field in fields(settings))
        raise SemilarError(f"{where}: should be `name: value` lines of {names}, not {changes!r}.")
    types = get_type_hints(type(settings))
    for name, value in changes.items():
        if name not in types:
            continue
        old, here = getattr(settings, name), f"{where}.{name}"
        if is_dataclass(old):
            check_changes(old, value, here)
            continue
        wanted, right = _expected(name, types[name], value)
        if not right:
            raise SemilarError(f"{here}: should be {wanted}, not {value!r}.")


def _expected(name: str, kind: Any, value: Any) -> tuple[str, bool]:
    """What a setting takes, in words, and whether `value` is that."""
    if kind in _NAMES:
        if kind is float and name in _SHARES:
            return "a number from 0 to 1", _is(float, value) and 0 <= value <= 1
        return _NAMES[kind], _is(kind, value)
    inner = get_args(kind)  # a tuple: (float, float) is a range, (str, ...) a list
    listed = isinstance(value, list | tuple)
    if inner[-1] is Ellipsis:
        words = _NAMES[inner[0]].removeprefix("a ") + "s"
        return f"a list of {words}", listed and bool(value) and all(_is(inner[0], v) for v in value)
    whole = "whole " if inner[0] is int else ""
    pair = listed and len(value) == 2 and all(_is(inner[0], v) for v in value)
    return f"two {whole}numbers, [low, high]", pair and value[0] <= value[1]


def _is(kind: type, value: Any) -> bool:
    if kind is bool or isinstance(value, bool):
        return kind is bool and isinstance(value, bool)
    return isinstance(value, int | float if kind is float else kind)
