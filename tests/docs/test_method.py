"""The table from the paper to the code is complete, and what it names exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split(" | ")]
    for line in (ROOT / "docs" / "method.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| ---", "| paper |", "| line |"))
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_row_names_code_and_tests_that_exist(row: list[str]) -> None:
    _, code, tests = row
    assert code
    named = re.findall(r"`(tests/[\w/]+\.py)`", tests)
    assert named
    for path in named:
        assert (ROOT / path).is_file(), path
    for path in re.findall(r"`(\w+/[\w/]+\.py)`", code):
        assert (ROOT / "src" / "semilar" / path).is_file(), path
