"""Commands that are checked without being run: verb, options, recipe, target or file must exist."""

import re
import shlex
import subprocess
import tomllib
from typing import Any

import typer
import typer.main
from packaging.requirements import Requirement

from semilar.cli.main import app
from semilar.train.recipe_file import load_recipe
from tests.docs.pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Commands that change the machine, need its daemon, or never end: parsed wherever they stand.
NEVER_RUN = ("pip", "make", "docker", "git", "cd", "pre-commit")
ENDLESS = ("serve", "watch")


class CommandError(Exception):
    """A command that could not work."""


def only_parsed(command: str) -> bool:
    """Whether a command is never run, marker or not."""
    words = shlex.split(command)
    return words[0] in NEVER_RUN or (words[0] == "semilar" and words[1] in ENDLESS)


def parse(command: str) -> None:
    """Raise `CommandError` for a command with a wrong verb, option, name or file."""
    words = shlex.split(command)
    words = words[words.index("--no-python") + 1 :] if words[0] == "torchrun" else words
    checks = {
        "semilar": _semilar,
        "python": _script,
        "make": _make,
        "pip": _pip,
        "docker": _docker,
        "git": _git,
        "cd": lambda _: None,
        "pre-commit": _pre_commit,
    }
    if words[0] not in checks:
        raise CommandError(f"{words[0]}: nothing here knows how to check it: {command}")
    checks[words[0]](words[1:])


def check_mention(command: str) -> None:
    """Raise `CommandError` if prose names a verb, an option, a target or a file that is not there.

    What stands for something else (`NAME`, `...`) is not looked at.
    """
    first, *words = shlex.split(command)
    if first == "semilar":
        _check_words(words)
    elif first == "make":
        _make(words)
    elif words[0] != "-m":
        _script(words)


def _check_words(words: list[str]) -> None:
    command: Any = typer.main.get_command(app)
    known = {"--help"}
    for word in words:
        known |= {name for one in command.params for name in one.opts + one.secondary_opts}
        if hasattr(command, "commands") and not word.startswith("-"):
            if word not in command.commands:
                raise CommandError(f"semilar {shlex.join(words)}: there is no {word}.")
            command = command.commands[word]
        elif word.startswith("-") and word.partition("=")[0] not in known | {"-"}:
            raise CommandError(f"semilar {shlex.join(words)}: there is no option {word}.")


def _semilar(words: list[str]) -> None:
    # Typer brings its own copy of click, so nothing here names click's classes.
    command: Any = typer.main.get_command(app)
    arguments, parent, name = list(words), None, "semilar"
    try:
        while True:
            context = command.make_context(name, arguments, parent=parent)
            if not hasattr(command, "resolve_command"):
                break
            rest = [*context._protected_args, *context.args]
            name, command, arguments = command.resolve_command(context, rest)
            parent = context
    except typer.Exit:  # --help, or a group that shows its help
        return
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        raise CommandError(f"semilar {shlex.join(words)}: {error}") from None
    if name == "train":
        load_recipe(context.params["recipe"], context.params["changes"] or [])


def _script(words: list[str]) -> None:
    if words[:1] == ["-m"]:
        if words[1] != "venv":
            raise CommandError(f"python -m {words[1]}: nothing here knows it.")
        return
    file = ROOT / words[0]
    if not file.is_file():
        raise CommandError(f"{words[0]}: no such file.")
    source = file.read_text(encoding="utf-8")
    for option in words[1:]:
        if option.startswith("-") and f'"{option.partition("=")[0]}"' not in source:
            raise CommandError(f"{words[0]}: has no option {option}.")


def _make(words: list[str]) -> None:
    done = subprocess.run(
        ["make", "--dry-run", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CommandError(done.stderr)


def _pip(words: list[str]) -> None:
    if words[0] != "install":
        raise CommandError(f"pip {words[0]}: only `pip install` is expected.")
    takes = [word for i, word in enumerate(words) if i and words[i - 1] == "-c"]
    for word in words[1:]:
        if word.startswith("-"):
            if word not in ("-c", "-e"):
                raise CommandError(f"pip install {word}: not expected.")
        elif word in takes:
            if not (ROOT / word).is_file():
                raise CommandError(f"{word}: no such file.")
        else:
            _installable(word)


def _installable(word: str) -> None:
    local = re.fullmatch(r"\.(\[(?P<extras>.+)\])?", word)
    if local:
        extras = set((local["extras"] or "").split(",")) - {""}
    else:
        requirement = Requirement(word)
        # Where the package is installed already, pip adds an extra without looking for it anew.
        adds = bool(requirement.extras)
        if requirement.name != PROJECT["name"] or not (requirement.url or adds):
            raise CommandError(f"pip install {word}: the package is on no index yet.")
        if requirement.url not in (None, f"git+{PROJECT['urls']['Source']}"):
            raise CommandError(f"pip install {word}: is not the address in pyproject.")
        extras = requirement.extras
    unknown = extras - PROJECT["optional-dependencies"].keys()
    if unknown:
        raise CommandError(f"pip install {word}: there is no extra {', '.join(unknown)}.")


def _docker(words: list[str]) -> None:
    if words[0] not in ("build", "run"):
        raise CommandError(f"docker {words[0]}: not expected.")
    if words[0] == "run" and "semilar" in words:
        _semilar(["serve", *words[words.index("semilar") + 1 :]])


def _git(words: list[str]) -> None:
    if words[:2] != ["clone", PROJECT["urls"]["Source"]]:
        raise CommandError(f"git {shlex.join(words)}: is not a clone of the address in pyproject.")


def _pre_commit(words: list[str]) -> None:
    if (
        words not in (["install"], ["run", "--all-files"])
        or not (ROOT / ".pre-commit-config.yaml").is_file()
    ):
        raise CommandError(f"pre-commit {shlex.join(words)}: not expected.")
