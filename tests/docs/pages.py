"""The code of the documentation: fenced blocks, what may be done with them, their commands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
RUN = ("sh", "python")
# Shown, not run: files, layouts, citations.
SHOWN = ("text", "ini", "nginx", "yaml", "bibtex")
# `<!-- run: parse, needs a GPU -->` on the line before a block.
MARKER = re.compile(r"<!-- run: (?P<how>slow|parse|service)(, (?P<why>.+))? -->")


class PageError(Exception):
    """A page with code that no test can run."""


@dataclass(frozen=True)
class Block:
    """One fenced block; `how` is `now`, `slow`, `parse` or `service`."""

    page: Path
    line: int
    language: str
    how: str
    code: str

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"

    def commands(self) -> list[str]:
        """The shell commands: lines that end in a backslash joined, comments gone."""
        joined = re.sub(r"\s*\\\n\s*", " ", self.code)
        lines = (_without_comment(line).strip() for line in joined.splitlines())
        return [line for line in lines if line]


def _without_comment(line: str) -> str:
    """A shell line up to a `#` that begins a word and stands in no quotes."""
    quote = ""
    for i, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and (i == 0 or line[i - 1].isspace()):
            return line[:i]
    return line


def blocks(page: Path, text: str | None = None) -> Iterator[Block]:
    """The fenced blocks of a page; code in any other form is an error."""
    lines = (page.read_text(encoding="utf-8") if text is None else text).splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        if re.match(r"( {4}|\t)\S", line) and (number == 0 or not lines[number - 1].strip()):
            raise PageError(f"{page}:{number + 1}: code is indented; put it between ``` lines.")
        if not line.startswith("```"):
            number += 1
            continue
        language, first = line[3:].strip(), number + 1
        if language not in (*RUN, *SHOWN):
            raise PageError(f"{page}:{first}: ```{language} is none of {', '.join(RUN + SHOWN)}.")
        number = first
        while lines[number] != "```":
            number += 1
        how = _marked(page, lines, first - 2)
        yield Block(page, first, language, how, "\n".join(lines[first:number]) + "\n")
        number += 1


def mentions(page: Path) -> list[str]:
    """The commands that a page names within its sentences, between single backticks."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = re.findall(r"(?<!`)`((?:semilar|make|python) [^`]+)`(?!`)", prose)
    return [" ".join(command.split()) for command in found]


def _marked(page: Path, lines: list[str], above: int) -> str:
    if above < 0 or "<!-- run" not in lines[above]:
        return "now"
    found = MARKER.fullmatch(lines[above].strip())
    if found is None:
        raise PageError(f"{page}:{above + 1}: not a marker: {lines[above]}")
    if found["how"] == "parse" and not found["why"]:
        raise PageError(f"{page}:{above + 1}: say why the block can only be parsed.")
    return found["how"]
