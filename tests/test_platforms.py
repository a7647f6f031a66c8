"""The package runs on Linux, macOS and Windows: nothing in it needs one of them.

Other systems are not at hand here, so this looks for what fails there: modules and functions that
only POSIX has, text without an encoding, workers that only `fork` can start.
"""

import ast
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import semilar
from semilar.files import write_bytes

SOURCE = Path(semilar.__file__).parent
FILES = sorted([*SOURCE.rglob("*.py"), *(Path(__file__).parents[1] / "tools").glob("*.py")])
# Not on Windows.
MODULES = {"resource", "fcntl", "termios", "pwd", "grp", "pty", "tty", "syslog", "posix", "crypt"}
ATTRIBUTES = {
    "os": {"fork", "getuid", "geteuid", "getgid", "killpg", "setsid", "sched_getaffinity", "uname"}
    | {"getloadavg", "sysconf", "nice", "chown", "mkfifo", "getpgid", "setpgrp", "statvfs"},
    "signal": {
        "SIGHUP",
        "SIGKILL",
        "SIGUSR1",
        "SIGUSR2",
        "SIGALRM",
        "SIGCHLD",
        "SIGQUIT",
        "SIGPIPE",
    }
    | {"alarm", "setitimer", "pause", "sigwait", "pthread_sigmask"},
}

IMPORT_ALL = """
import builtins, importlib, pkgutil, sys
real = builtins.__import__
def guarded(name, namespace=None, *rest):
    importer = (namespace or {}).get("__name__", "")
    if importer.partition(".")[0] == "semilar" and name.partition(".")[0] in HIDDEN:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return real(name, namespace, *rest)
builtins.__import__ = guarded
import os, semilar
for name in ("sched_getaffinity", "fork"):
    if hasattr(os, name):
        delattr(os, name)
count = 0
for module in pkgutil.walk_packages(semilar.__path__, "semilar."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
        count += 1
print(count)
"""


def test_every_module_is_imported_without_what_only_posix_has() -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"HIDDEN = {MODULES!r}\n{IMPORT_ALL}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 100


def _parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _guarded(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether a `try` that expects it to be missing, or a look with `hasattr`, is around it."""
    while node in parents:
        node = parents[node]
        if isinstance(node, ast.Try) and any(
            "ImportError" in ast.dump(h) or "ModuleNotFoundError" in ast.dump(h)
            for h in node.handlers
        ):
            return True
        test = node.test if isinstance(node, ast.If) else node
        if isinstance(node, ast.If | ast.BoolOp) and "hasattr" in ast.dump(test):
            return True
    return False


def posix_only(source: str) -> list[str]:
    """What a module uses that Windows does not have, without looking first."""
    tree = ast.parse(source)
    parents = _parents(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name in MODULES]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module in MODULES else []
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            lacking = node.attr in ATTRIBUTES.get(node.value.id, ())
            names = [f"{node.value.id}.{node.attr}"] if lacking else []
        else:
            continue
        found += [f"{name} (line {node.lineno})" for name in names if not _guarded(node, parents)]
    return found


TEXT_MODES = {"r", "w", "a", "x", "r+", "w+", "a+", "rt", "wt"}


def _mode(call: ast.Call) -> object:
    """The mode of `open(file, mode)` and `path.open(mode)`; `Image.open(file)` has none."""
    plain = isinstance(call.func, ast.Name)
    values = [a.value if isinstance(a, ast.Constant) else None for a in call.args[plain:]]
    return values[0] if values else ("r" if plain else None)


def text_without_encoding(source: str) -> list[str]:
    """Calls that read or write text in whatever encoding the machine happens to prefer."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        given = {keyword.arg for keyword in node.keywords}
        if name == "read_text" and not node.args and "encoding" not in given:
            found.append(f"read_text (line {node.lineno})")
        if name == "write_text" and len(node.args) == 1 and "encoding" not in given:
            found.append(f"write_text (line {node.lineno})")
        if name == "open" and _mode(node) in TEXT_MODES and "encoding" not in given:
            found.append(f"open (line {node.lineno})")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: "/".join(p.parts[-2:]))
def test_files_are_free_of_what_other_systems_lack(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert posix_only(source) == []
    assert text_without_encoding(source) == []


def test_what_is_looked_for_is_found() -> None:
    assert posix_only("import resource\nimport os\nos.fork()\n") == [
        "resource (line 1)",
        "os.fork (line 3)",
    ]
    assert posix_only("def f():\n    from fcntl import flock\n") == ["fcntl (line 2)"]
    assert posix_only("try:\n    import pwd\nexcept ImportError:\n    pwd = None\n") == []
    assert posix_only("import os\nif hasattr(os, 'fork'):\n    os.fork()\n") == []
    text = "p.read_text()\nopen('x')\nopen('x', 'rb')\np.open('a')\nImage.open('a.png')\n"
    assert text_without_encoding(text) == [
        "read_text (line 1)",
        "open (line 2)",
        "open (line 4)",
    ]


def test_data_go_to_workers_that_are_started_anew(tmp_path: Path) -> None:
    """macOS and Windows start workers with `spawn`: what they are given is pickled."""
    from semilar.train.feed import Batches, Unlabeled
    from semilar.train.sources import find_sources
    from semilar.train.start import make_plan
    from tests.train.tiny import tiny_recipe

    recipe = tiny_recipe(tmp_path)
    sources = find_sources(recipe)
    assert sources.unlabeled is not None
    photos = Unlabeled(sources.unlabeled, batch=2, first_batch=0)
    batches = Batches(make_plan(recipe, sources), sources.labeled, photos, seed=1)
    again = pickle.loads(pickle.dumps(batches))
    assert (again[3].labeled.input == batches[3].labeled.input).all()
    assert [x.key for x in again[3].unlabeled] == [x.key for x in batches[3].unlabeled]


def test_files_are_flushed_through_a_handle_that_may_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On Windows anything else fails, and folders cannot be opened at all."""
    fcntl = pytest.importorskip("fcntl")
    modes = []

    def flush(handle: int) -> None:
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            modes.append(fcntl.fcntl(handle, fcntl.F_GETFL) & os.O_ACCMODE)

    monkeypatch.setattr(os, "fsync", flush)
    write_bytes(tmp_path / "file", b"x")
    assert modes == [os.O_RDWR]
