"""The recipes that come with the package, called by name: `semilar train desk`."""

from pathlib import Path

from semilar.errors import RecipeError

FOLDER = Path(__file__).parent
_SUFFIXES = (".yaml", ".yml")


def recipe_names() -> list[str]:
    """All names, those of a subfolder behind the others.

    >>> "desk" in recipe_names() and "ablation/no-blur" in recipe_names()
    True
    """
    files = [path.relative_to(FOLDER).with_suffix("") for path in FOLDER.rglob("*.yaml")]
    return [path.as_posix() for path in sorted(files, key=lambda p: (len(p.parts), p))]


def find_recipe(name: str | Path) -> Path:
    """The file of a recipe: `name` is a path, or one of `recipe_names()`.

    Something that ends in .yaml is always a path; a name goes before a file without an ending.
    """
    path = Path(name)
    if path.suffix not in _SUFFIXES and path.as_posix() in recipe_names():
        return FOLDER / f"{path.as_posix()}.yaml"
    if path.is_file():
        return path
    raise RecipeError(
        f"{name}: no such recipe, neither a file nor one of {', '.join(recipe_names())}."
    )
