"""Every example in a docstring does what it says."""

import doctest
import importlib
from pathlib import Path

import pytest

import semilar

ROOT = Path(semilar.__file__).parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


def _module(path: Path) -> str:
    parts = ("semilar", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = [_module(p) for p in sorted(ROOT.rglob("*.py")) if ">>>" in p.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    module = importlib.import_module(name)
    found = doctest.testmod(module, optionflags=FLAGS)
    assert not found.failed
