"""Reading recipes: YAML over a base, `key=value` on the command line, mistakes as sentences."""

from collections.abc import Sequence
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
    try:
        return Recipe.model_validate(values)
    except ValidationError as error:
        raise RecipeError("\n".join(f"{path}: {line}" for line in _sentences(error))) from None


def read_values(path: Path, *, _seen: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The plain values of a recipe file over those of its base."""
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
    return merged(read_values(origin, _seen=(*_seen, path)), values)


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`changes` over `base`, part by part; lists and plain values are replaced."""
    result = dict(base)
    for key, value in changes.items():
        old = result.get(key)
        both = isinstance(old, dict) and isinstance(value, dict)
        result[key] = merged(old, value) if both else value  # type: ignore[arg-type]
    return result


def dump_recipe(recipe: Recipe) -> str:
    """The whole recipe as YAML that `load_recipe` reads back."""
    return yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def differences(old: dict[str, Any], new: dict[str, Any], where: str = "") -> list[str]:
    """The keys whose values differ, as `key: old -> new`."""
    lines = []
    for key in [*old, *(k for k in new if k not in old)]:
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        if isinstance(before, dict) and isinstance(after, dict):
            lines += differences(before, after, f"{where}{key}.")
        else:
            lines.append(f"{where}{key}: {before} -> {after}")
    return lines


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


def _sentences(error: ValidationError) -> list[str]:
    return [_sentence(detail) for detail in error.errors()]


def _sentence(detail: Any) -> str:
    where = ".".join(str(part) for part in detail["loc"]) or "recipe"
    if detail["type"] == "extra_forbidden":
        known = _known_keys(detail["loc"])
        return f"{where} is not a known key{f'; there are {known}' if known else ''}."
    if detail["type"] == "missing":
        return f"{where} is missing."
    message = detail["msg"].removeprefix("Value error, ")
    given = "" if isinstance(detail["input"], dict | list) else f", not {detail['input']!r}"
    return f"{where}: {message[0].lower()}{message[1:]}{given}."


def _known_keys(location: tuple[int | str, ...]) -> str:
    """The keys allowed beside a wrong one, found by walking down the types of the recipe."""
    models: list[type[BaseModel]] = [Recipe]
    for part in location[:-1]:
        owner = next((model for model in models if part in model.model_fields), None)
        if owner is not None:
            models = _models(owner.model_fields[str(part)].annotation)
        else:  # a place in a list, a name in a table, or the kind that tells parts from another
            models = sorted(models, key=lambda model: _kind(model) != part)
    return ", ".join(models[0].model_fields) if models else ""


def _kind(model: type[BaseModel]) -> Any:
    field = model.model_fields.get("kind")
    return getattr(field.annotation, "__args__", (None,))[0] if field else None


def _models(annotation: Any) -> list[type[BaseModel]]:
    """The parts of a recipe that a type mentions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    inner = getattr(annotation, "__args__", ())
    return [model for argument in inner for model in _models(argument)]
