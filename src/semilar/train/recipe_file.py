"""Reading recipes: YAML over a base, `key=value` changes, and what is wrong in plain words."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from semilar.errors import RecipeError
from semilar.recipes import find_recipe
from semilar.train.recipe import Recipe


def load_recipe(name: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """The recipe of a file or of the package, with `key=value` changes applied, checked.

    `base: other.yaml` in a recipe takes everything from that file (beside it) that the recipe
    does not say itself; `base: desk` takes it from the recipe of that name in the package.
    """
    path = find_recipe(name)
    values = read_values(path)
    for override in overrides:
        _apply(values, override)
    return checked(values, path)


def checked(values: dict[str, Any], origin: object) -> Recipe:
    """The recipe that plain values make; an error names `origin` and the keys that are wrong."""
    try:
        return Recipe.model_validate(values)
    except ValidationError as error:
        lines = [f"{origin}: {_explain(detail)}" for detail in _causes(error)]
        raise RecipeError("\n".join(lines)) from None


def _causes(error: ValidationError) -> list[Any]:
    """Its details, without a list that is too short only because an item of it is wrong."""
    places = [detail["loc"] for detail in error.errors()]
    return [
        detail
        for detail in error.errors()
        if detail["type"] != "too_short"
        or not any(
            place[: len(detail["loc"])] == detail["loc"]
            for place in places
            if place != detail["loc"]
        )
    ]


def read_values(
    path: Path, *, swap: Mapping[Path, Path] | None = None, _seen: tuple[Path, ...] = ()
) -> dict[str, Any]:
    """The plain values of a recipe file over those of its base.

    `swap` names files that others are read in place of: what differs from `paper` can so be put
    over a smaller recipe.
    """
    path = (swap or {}).get(path.resolve(), path)
    if path in _seen:
        raise RecipeError(f"{path}: is its own base.")
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecipeError(f"{path}: cannot be read ({error.strerror}).") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = str(error).replace("\n", " ")
        raise RecipeError(f"{path}: not readable as YAML ({reason}).") from None
    if not isinstance(values, dict):
        raise RecipeError(f"{path}: a recipe is a list of `key: value` lines.")
    base = values.pop("base", None)
    if base is None:
        return values
    beside = path.parent / str(base)
    origin = beside if beside.is_file() else find_recipe(str(base))
    return merged(read_values(origin, swap=swap, _seen=(*_seen, path)), values)


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`changes` over `base`, part by part; lists and plain values are replaced."""
    result = dict(base)
    for key, value in changes.items():
        old = result.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        result[key] = merged(old, value) if both else value  # type: ignore[arg-type]
    return result


def dump_recipe(recipe: Recipe) -> str:
    """The whole recipe as YAML that `load_recipe` reads back: every number that was not given too.

    The numbers of one group stand on one line, so that all settings of the simulator fit a screen.
    """
    values = recipe.model_dump(mode="json")
    return yaml.dump(values, Dumper=_Compact, sort_keys=False, allow_unicode=True, width=100)


class _Compact(yaml.SafeDumper):
    """Writes a table of plain values and lists on one line."""

    def represent_mapping(self, tag: str, mapping: Any, flow_style: bool | None = None) -> Any:
        values = [x if isinstance(x, list) else [x] for x in mapping.values()]
        flat = not any(isinstance(x, dict) for value in values for x in value)
        return super().represent_mapping(tag, mapping, flow_style=flat)

    def represent_sequence(self, tag: str, sequence: Any, flow_style: bool | None = None) -> Any:
        flat = not any(isinstance(x, dict) for x in sequence)
        return super().represent_sequence(tag, sequence, flow_style=flat)


def differences(old: dict[str, Any], new: dict[str, Any], where: str = "") -> list[str]:
    """The keys whose values differ, as `key: old -> new`."""
    lines = []
    for key in [*old, *(k for k in new if k not in old)]:
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        before, after = _numbered(before, after)
        if isinstance(before, dict) and isinstance(after, dict):
            lines += differences(before, after, f"{where}{key}.")
        else:
            lines.append(f"{where}{key}: {before} -> {after}")
    return lines


def _numbered(before: Any, after: Any) -> tuple[Any, Any]:
    """Lists of parts as tables by number, so that only what differs in a part is named."""
    if all(isinstance(x, list) and any(isinstance(y, dict) for y in x) for x in (before, after)):
        before, after = (dict(enumerate(x)) for x in (before, after))
    return before, after


def _apply(values: dict[str, Any], override: str) -> None:
    name, equals, text = override.partition("=")
    if not equals or not name:
        raise RecipeError(f"{override}: changes are written key=value, such as optimizer.lr=1e-3.")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        raise RecipeError(f"{override}: the value is not readable as YAML.") from None
    # YAML 1.1 reads 1e-3 as text; nobody writing a recipe means that.
    value = _number(value)
    *parents, last = name.split(".")
    place: Any = values
    for parent in parents:
        place = _into(place, parent, override)
    if isinstance(place, list):
        place[_index(place, last, override)] = value
    else:
        place[last] = value


def _into(place: Any, name: str, override: str) -> Any:
    if isinstance(place, list):
        return place[_index(place, name, override)]
    if place.get(name) is None:
        place[name] = {}
    if not isinstance(place[name], dict | list):
        raise RecipeError(f"{override}: {name} holds a single value and has no parts.")
    return place[name]


def _index(place: list, name: str, override: str) -> int:
    if not name.isdigit() or int(name) >= len(place):
        raise RecipeError(f"{override}: {name} is not a place in a list of {len(place)}.")
    return int(name)


def _number(value: Any) -> Any:
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
_TYPES = {
    "dataclass_type": "should be `name: value` lines",
    "model_type": "should be `name: value` lines",
    "tuple_type": "should be a list",
}


def _explain(detail: Any) -> str:
    """One of pydantic's complaints in plain words."""
    where = ".".join(str(part) for part in detail["loc"]) or "recipe"
    if detail["type"] in _UNKNOWN:
        known = _known_keys(detail["loc"])
        return f"{where} is not a known key{f'; there are {known}' if known else ''}."
    if detail["type"] == "missing":
        return f"{where} is missing."
    message: str = _TYPES.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")
    given = "" if isinstance(detail["input"], dict) else f", not {detail['input']!r}"
    return f"{where}: {message[0].lower()}{message[1:]}{given}."


def _known_keys(location: tuple[int | str, ...]) -> str:
    """The keys allowed beside a wrong one, found by walking down the types of the recipe."""
    parts: list[type] = [Recipe]
    for name in location[:-1]:
        owner = next((part for part in parts if name in _keys(part)), None)
        if owner is not None:
            parts = _parts(_keys(owner)[str(name)])
        else:  # a place in a list, a name in a table, or the kind that tells parts from another
            parts = sorted(parts, key=lambda part: _kind(part) != name)
    return ", ".join(_keys(parts[0])) if parts else ""


def _keys(part: type) -> dict[str, Any]:
    """The keys of a part of a recipe, with their types."""
    if is_dataclass(part):
        return {field.name: field.type for field in fields(part)}
    assert issubclass(part, BaseModel)
    found = {}
    for name, field in part.model_fields.items():
        other = field.validation_alias  # a name that stands for the same in a recipe
        names = [name] if other is None else [str(x) for x in getattr(other, "choices", [other])]
        found |= dict.fromkeys(names, field.annotation)
    return found


def _kind(part: type) -> Any:
    words: Any = getattr(_keys(part).get("kind"), "__args__", None)
    return words[0] if words else None


def _parts(annotation: Any) -> list[type]:
    """The parts of a recipe that a type mentions."""
    if isinstance(annotation, type) and (
        is_dataclass(annotation) or issubclass(annotation, BaseModel)
    ):
        return [annotation]
    inner = getattr(annotation, "__args__", ())
    return [part for argument in inner for part in _parts(argument)]
