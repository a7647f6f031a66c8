"""The list of mutants fits the source, and the tool tells the dead from the living."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.install import ROOT
from tools.mutant_list import MUTANTS, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_every_mutant_applies_and_its_tests_exist(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1
    assert mutant.old != mutant.new
    for test in mutant.tests:
        file, _, name = test.partition("::")
        assert f"def {name}" in (ROOT / file).read_text(encoding="utf-8")


def test_names_are_unique() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("return 2", "return 3", "killed"),
        ("# two", "# deux", "survived"),
        ("return 5", "return 6", "no try"),
        ("return 2", "return (", "no try"),
    ],
)
def test_a_mutant_is_killed_only_by_a_failing_test(
    tmp_path: Path, old: str, new: str, verdict: str
) -> None:
    package = tmp_path / "src" / "semilar"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    text = "def two():\n    return 2  # two\n"
    (package / "two.py").write_text(text)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "test_two.py").write_text(
        "from semilar.two import two\n\ndef test_two():\n    assert two() == 2\n"
    )
    fields = ("a mutant", "src/semilar/two.py", old, new, ("test_two.py",))
    code = (
        "from pathlib import Path; from tools.mutants import Mutant, try_mutant;"
        f" print(try_mutant(Path({str(tmp_path)!r}), Mutant(*{fields!r})))"
    )
    bare = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # they load half the world
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=bare, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == verdict
    assert (package / "two.py").read_text() == text, "what was broken is mended"
