"""Break the paper's training in known ways, one by one, and print what no test noticed.

    python tools/mutants.py              # all, a few minutes
    python tools/mutants.py mixup eta    # those whose names hold one of the words
    python tools/mutants.py --list

Source and tests are copied to a temporary folder and broken there. Each mutant meets the tests
named beside it, in a forked process that starts with the heavy packages loaded; before that, those
tests must pass on the unbroken copy. The exit status is 0 if all mutants die, 1 if one survives,
and 2 if one cannot be tried.
"""

import argparse
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # a forked process must not wait for threads it does not have

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.mutant_list import MUTANTS, Mutant  # noqa: E402

# Torch's optimizers load its compiler at their first step.
HEAVY = (
    *("torch", "torch._dynamo", "lightning_fabric", "pydantic"),
    *("scipy.ndimage", "scipy.stats", "pytest"),
)
PASSED, FAILED = 0, 1  # of pytest; anything else is neither


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the chosen mutants."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only mutants whose names hold one of these")
    parser.add_argument("--list", action="store_true", help="print their names and end")
    options = parser.parse_args(arguments)
    chosen = [m for m in MUTANTS if not options.words or any(w in m.name for w in options.words)]
    if not chosen:
        return _end(2, f"No mutant's name holds {' or '.join(options.words)}.")
    if options.list:
        return _end(0, "\n".join(mutant.name for mutant in chosen))
    if not hasattr(os, "fork"):
        return _end(2, "Mutants need a system that can fork.")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        return _try_all(copy_project(Path(folder)), chosen)


def copy_project(folder: Path) -> Path:
    """Source, tests and tools without compiled files, which could pass for those of a mutant."""
    without = shutil.ignore_patterns("__pycache__")
    for name in ("src", "tests", "tools"):
        shutil.copytree(ROOT / name, folder / name, ignore=without)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def _try_all(copy: Path, chosen: Sequence[Mutant]) -> int:
    _load_heavy_packages()
    tests = sorted({test for mutant in chosen for test in mutant.tests})
    if run_tests(copy, tests) != PASSED:
        return _end(2, f"The tests fail without any mutant: {' '.join(tests)}")
    survived, failed = [], []
    for mutant in chosen:
        verdict = try_mutant(copy, mutant)
        print(f"{verdict:9} {mutant.name}", flush=True)
        survived += [mutant.name] if verdict == "survived" else []
        failed += [mutant.name] if verdict == "no try" else []
    killed = len(chosen) - len(survived) - len(failed)
    print(f"{killed} of {len(chosen)} killed; survived: {', '.join(survived) or 'none'}.")
    if failed:
        return _end(2, f"Could not be tried: {', '.join(failed)}.")
    return 1 if survived else 0


def try_mutant(copy: Path, mutant: Mutant) -> str:
    """`killed`, `survived`, or `no try`: the text is not there, or tests cannot be collected."""
    path = copy / mutant.file
    original = path.read_text(encoding="utf-8")
    if original.count(mutant.old) != 1:
        return "no try"
    path.write_text(original.replace(mutant.old, mutant.new), encoding="utf-8")
    try:
        return {PASSED: "survived", FAILED: "killed"}.get(run_tests(copy, mutant.tests), "no try")
    finally:
        path.write_text(original, encoding="utf-8")


def run_tests(copy: Path, tests: Sequence[str]) -> int:
    """pytest's exit status for tests of the copy, in a process of their own."""
    sys.stdout.flush()
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            status = 4
            try:
                status = _pytest(copy, tests)
            finally:
                os._exit(status)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    sys.exit("tools/mutants.py needs a system that can fork.")


def _pytest(copy: Path, tests: Sequence[str]) -> int:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.chdir(copy)
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(copy / "src"), str(copy)]
    sys.path[:] = [entry for entry in sys.path if Path(entry) not in (ROOT, ROOT / "src")]
    import pytest

    import semilar

    assert Path(semilar.__file__).is_relative_to(copy), "the broken copy is what is tested"
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]))


def _load_heavy_packages() -> None:
    """Once for all mutants; nothing of the project itself."""
    for name in HEAVY:
        importlib.import_module(name)
    assert "semilar" not in sys.modules


def _end(status: int, text: str) -> int:
    print(text, file=sys.stderr if status else sys.stdout)
    return status


if __name__ == "__main__":
    sys.exit(main())
