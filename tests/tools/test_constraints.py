"""constraints.txt holds one plain version of everything the project needs, and nothing else."""

import itertools
import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tools.constraints import FILE, GRAPHICS, PYTHONS
from tools.install import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# What a marker may ask: each Python on each system.
SYSTEMS = (
    {"os_name": "posix", "sys_platform": "linux", "platform_system": "Linux"},
    {"os_name": "posix", "sys_platform": "darwin", "platform_system": "Darwin"},
    {"os_name": "nt", "sys_platform": "win32", "platform_system": "Windows"},
)
MACHINES = [
    {**default_environment(), **system, "python_version": ".".join(python.split(".")[:2])}
    for python, system in itertools.product(PYTHONS, SYSTEMS)
]


def pins(text: str) -> dict[str, str]:
    """name -> version of a constraints file; anything that is not a sorted plain pin fails."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for line in lines:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*==[0-9]+(\.[0-9a-z]+)*", line), line
    names = [line.partition("==")[0] for line in lines]
    assert names == sorted(set(names)), "sorted, and each name once"
    return dict(line.split("==") for line in lines)


def direct() -> list[Requirement]:
    """What pyproject asks for, over all extras; an extra may name others."""
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    found = [Requirement(text) for group in groups for text in group]
    return [requirement for requirement in found if requirement.name != PROJECT["name"]]


def needed() -> set[str]:
    """Names of all that is needed on some machine, read from what is installed here."""
    todo, seen = direct(), set()
    while todo:
        requirement = todo.pop()
        name = canonicalize_name(requirement.name)
        wanted = {"", *requirement.extras}
        if (name, *sorted(wanted)) in seen:
            continue
        seen.add((name, *sorted(wanted)))
        todo += [inner for text in _requires(name) if _applies(inner := Requirement(text), wanted)]
    return {name for name, *_ in seen}


def _requires(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:  # needed on other systems only
        return []


def _applies(requirement: Requirement, extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(
        marker.evaluate({**machine, "extra": extra}) for machine in MACHINES for extra in extras
    )


def test_lines_are_sorted_plain_pins() -> None:
    assert len(pins(FILE.read_text(encoding="utf-8"))) > 50
    assert pins("# said\na==1.0\nz==1") == {"a": "1.0", "z": "1"}


@pytest.mark.parametrize(
    "wrong",
    [
        "a @ file:///home/me/a-1.0-py3-none-any.whl",
        "a==1.0\na==1.0",
        "b==1.0\na==1.0",
        "torch==2.13.0+cpu",
        "a>=1.0",
        "a==1.0 ; sys_platform == 'win32'",
        "--find-links /wheels",
        "A_b==1.0",
        "",
    ],
)
def test_anything_else_is_refused(wrong: str) -> None:
    with pytest.raises(AssertionError):
        pins(f"{wrong}\nz==1")


def test_every_dependency_of_the_project_is_pinned_within_its_bounds() -> None:
    pinned = pins(FILE.read_text(encoding="utf-8"))
    for requirement in direct():
        name = canonicalize_name(requirement.name)
        assert name in pinned, f"{name}: run python tools/constraints.py"
        assert requirement.specifier.contains(pinned[name]), requirement


def test_all_that_is_needed_is_pinned_and_nothing_else() -> None:
    pinned = set(pins(FILE.read_text(encoding="utf-8")))
    expected = {name for name in needed() if not name.startswith(GRAPHICS)}
    assert pinned - expected == set(), "not needed: run python tools/constraints.py"
    assert expected - pinned == set(), "not pinned: run python tools/constraints.py"
