"""Count files, lines and imports between the rooms of the package, at one or more commits.

    python tools/room_map.py            # the files as they are now
    python tools/room_map.py v0.1.0     # a commit beside them

The order of the rooms is the one that `lint-imports` enforces (pyproject.toml). An edge is a pair
of rooms of which one imports the other. "Past the door" are import lines that take something from a
module inside another room instead of from the room itself.
"""

import argparse
import ast
import io
import subprocess
import sys
import tarfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "src/semilar"
Sources = dict[str, str]
"""Path below the package -> text."""


@dataclass(frozen=True)
class Import:
    """One import of another room: the file, its room, and the module it names."""

    file: str
    room: str
    module: str

    @property
    def target(self) -> str:
        """The room that is imported."""
        return self.module.split(".")[1]


def sources_now() -> Sources:
    """The files as they are."""
    folder = ROOT / PACKAGE
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.py"))
    }


def sources_at(commit: str) -> Sources:
    """The files of a commit."""
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", commit, PACKAGE]
    packed = subprocess.run(command, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        return {
            member.name.removeprefix(f"{PACKAGE}/"): file.read().decode()
            for member in tar
            if member.name.endswith(".py") and (file := tar.extractfile(member))
        }


def room_of(file: str) -> str:
    """The room of a file: the folder below the package, or the module itself.

    >>> room_of("photo/light.py"), room_of("errors.py")
    ('photo', 'errors')
    """
    return file.partition("/")[0].removesuffix(".py")


def imports(sources: Sources) -> list[Import]:
    """All imports from one room of another; the package's own `__init__` is no room."""
    rooms = {room_of(file) for file in sources} - {"__init__", "__main__"}
    found = []
    for file, text in sources.items():
        room = room_of(file)
        for node in ast.walk(ast.parse(text)):
            modules = [
                module
                for module in _modules(node, sources)
                if module.startswith("semilar.") and module.split(".")[1] in rooms - {room}
            ]
            found += [Import(file, room, module) for module in modules if room in rooms]
    return found


def _modules(node: ast.AST, sources: Sources) -> list[str]:
    if isinstance(node, ast.Import):
        return [name.name for name in node.names]
    if not isinstance(node, ast.ImportFrom) or node.module is None:
        return []
    if node.module == "semilar":  # `from semilar import photo` imports a room
        return [f"semilar.{name.name}" for name in node.names]
    folder = node.module.replace(".", "/").removeprefix("semilar/")
    inner = [name.name for name in node.names if _is_module(f"{folder}/{name.name}", sources)]
    hidden = [name for name in inner if name not in _given(folder, sources)]
    # `from semilar.photo import light` names a module as `from semilar.photo.light import ...` does
    return [f"{node.module}.{name}" for name in hidden] or [node.module]


def _is_module(path: str, sources: Sources) -> bool:
    return f"{path}.py" in sources or f"{path}/__init__.py" in sources


def _given(folder: str, sources: Sources) -> set[str]:
    """The names that a room's `__init__` takes from its modules."""
    nodes = ast.walk(ast.parse(sources.get(f"{folder}/__init__.py", "")))
    lines = (node for node in nodes if isinstance(node, ast.ImportFrom))
    return {name.name for line in lines for name in line.names}


def levels() -> dict[str, int]:
    """Each room's level in the enforced order; 0 is the lowest."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    contracts = tomllib.loads(text)["tool"]["importlinter"]["contracts"]
    (lines,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return {
        room.strip(" ()"): level
        for level, line in enumerate(reversed(lines))
        for room in line.split("|")
    }


def row(sources: Sources) -> dict[str, str]:
    """The figures of one state of the package."""
    lines = {file: text.count("\n") for file, text in sources.items()}
    largest = max(lines, key=lambda file: lines[file])
    found, level = imports(sources), levels()
    edges = {(one.room, one.target) for one in found}
    against = [edge for edge in edges if level.get(edge[1], 0) >= level.get(edge[0], 99)]
    return {
        "files": str(len(sources)),
        "lines": f"{sum(lines.values()):,}",
        "largest file": f"{lines[largest]} ({largest})",
        "edges between rooms": str(len(edges)),
        "edges against the order": str(len(against)),
        "imports past the door": str(sum(one.module.count(".") > 1 for one in found)),
    }


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Count what the rooms hold and import.")
    parser.add_argument("commits", nargs="*", help="commits to set beside the files as they are")
    commits = parser.parse_args().commits
    columns = {name: row(sources_at(name)) for name in commits} | {"now": row(sources_now())}
    print(f"| | {' | '.join(columns)} |")
    print(f"| --- |{' ---: |' * len(columns)}")
    for name in columns["now"]:
        print(f"| {name} | {' | '.join(column[name] for column in columns.values())} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
