"""The public surface: a name or signature that changes by accident breaks somebody's program.

If you mean the change, change the text here too and say it in CHANGELOG.md.
"""

import importlib
import inspect
import re
from pathlib import Path

import semilar
from semilar import errors, photo

NAMES = [
    "DownloadError",
    "MissingExtraError",
    "ModelError",
    "OutputExistsError",
    "PhotoError",
    "RecipeError",
    "Remover",
    "Result",
    "RunExistsError",
    "SemilarError",
    "SettingError",
    "SeveralPicturesError",
    "WeightsMissingError",
    "__version__",
    "bulk",
    "remove",
]

SIGNATURES = {
    semilar.remove: (
        "(picture: Any, *, strength: float = 1.0, mask: Any = None,"
        " model: str | Path = 'semilar-t', engine: str | None = None,"
        " output: str | Path | None = None, force: bool = False) -> Any"
    ),
    semilar.Remover: (
        "(*, model: str | Path = 'semilar-t', engine: str | Engine | None = None,"
        " device: str | None = None, threads: int | None = None,"
        " working_size: int | None = None, views: int | None = None) -> None"
    ),
    semilar.Remover.remove: (
        "(self, picture: Any, *, strength: float = 1.0, mask: Any = None) -> Result[Any]"
    ),
    semilar.MissingExtraError: "(package: str, extra: str, *, what: str = 'This') -> None",
}

PARENTS = {
    "DownloadError": "SemilarError",
    "MissingExtraError": "SemilarError",
    "ModelError": "SemilarError",
    "OutputExistsError": "SemilarError",
    "PhotoError": "SemilarError",
    "RecipeError": "SemilarError",
    "RunExistsError": "OutputExistsError",
    "SemilarError": "Exception",
    "SettingError": "SemilarError",
    "SeveralPicturesError": "PhotoError",
    "WeightsMissingError": "ModelError",
}


def _short(signature: inspect.Signature) -> str:
    """Without the modules that types live in."""
    return re.sub(r"\b[a-z_]+(\.[a-z_]+)*\.(?=[A-Z])", "", str(signature))


def test_names() -> None:
    assert sorted(semilar.__all__) == sorted(NAMES)
    assert dir(semilar) == sorted(NAMES)
    assert all(hasattr(semilar, name) for name in NAMES)


def test_every_room_gives_what_its_door_names() -> None:
    """`archive` loads its names when they are asked for, so no import would notice a wrong one."""
    folder = Path(semilar.__file__).parent
    rooms = [one.parent.name for one in folder.glob("*/__init__.py")]
    doors = [importlib.import_module(f"semilar.{room}") for room in rooms]
    named = [(door, name) for door in doors for name in getattr(door, "__all__", ())]
    assert len(named) > 100
    assert all(hasattr(door, name) for door, name in named)


def test_signatures() -> None:
    for thing, wanted in SIGNATURES.items():
        assert _short(inspect.signature(thing)) == wanted, thing


def test_what_a_result_holds() -> None:
    fields = list(inspect.signature(semilar.Result).parameters)
    public = [name for name in fields if not name.startswith("_")]
    assert public == ["image", "found", "light", "working_size", "before", "after"]
    assert hasattr(semilar.Result, "flare")


def test_the_tree_of_errors_is_whole_documented_and_exported() -> None:
    classes = {
        name: one
        for name, one in vars(errors).items()
        if isinstance(one, type) and issubclass(one, Exception)
    }
    assert {name: one.__bases__[0].__name__ for name, one in classes.items()} == PARENTS
    for name, one in classes.items():
        assert getattr(semilar, name) is one
        assert re.search(rf"\b{name}\b", errors.__doc__ or ""), name
    assert issubclass(semilar.SettingError, ValueError)
    assert photo.PhotoError is semilar.PhotoError


def test_no_error_of_the_library_tells_of_flags() -> None:
    """A caller from Python has no `--force`; the command line adds such advice itself."""
    root = Path(errors.__file__).parent
    for file in root.rglob("*.py"):
        if file.relative_to(root).parts[0] in ("cli", "serve"):  # a service is set up by options
            continue
        text = file.read_text(encoding="utf-8")
        for raised in re.findall(r"Error\((.*?)\)(?: from \w+)?\n", text, re.DOTALL):
            assert not re.search(r"(?<![\w-])--[a-z]", raised), (file, raised)
