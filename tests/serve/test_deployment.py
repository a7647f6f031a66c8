"""What is written about running the service elsewhere agrees with the service."""

import ast
import fnmatch
import json
import re
from pathlib import Path

import pytest
import typer

from semilar.cli.main import app

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def instructions() -> list[tuple[str, str]]:
    """(instruction, its argument), continued lines joined, comments left out."""
    lines = [line for line in DOCKERFILE.splitlines() if line.strip() and not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(name, rest) for name, _, rest in (one.partition(" ") for one in joined.splitlines())]


def options_of_serve() -> set[str]:
    command = typer.main.get_command(app).commands["serve"]  # type: ignore[attr-defined]
    return {option for one in command.params for option in one.opts}


def test_every_instruction_is_one_that_docker_knows():
    known = {"FROM", "RUN", "COPY", "WORKDIR", "ENV", "USER", "EXPOSE", "STOPSIGNAL"}
    known |= {"HEALTHCHECK", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in instructions()} == known


def test_the_image_does_not_run_as_root():
    last = [name for name, _ in instructions()].index("ENTRYPOINT")
    users = [rest for name, rest in instructions()[:last] if name == "USER"]
    assert users[-1] not in ("root", "0")


def test_what_is_copied_exists_and_is_let_through():
    let = [line[1:] for line in (ROOT / ".dockerignore").read_text().split() if line[0] == "!"]
    for name, rest in instructions():
        if name == "COPY" and not rest.startswith("--from"):
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists()
                assert any(fnmatch.fnmatch(source, one) for one in let)


def test_commands_are_lists_and_the_health_check_is_sound_python():
    given = dict(instructions())
    assert json.loads(given["ENTRYPOINT"]) == ["semilar", "serve"]
    options = {one for one in json.loads(given["CMD"]) if one.startswith("--")}
    assert options <= options_of_serve()
    assert "--public" in options  # without it or a token, 0.0.0.0 is refused
    check = json.loads(given["HEALTHCHECK"].partition("CMD ")[2])
    ast.parse(check[2])
    assert "/readyz" in check[2]


@pytest.mark.parametrize("text", ["docs/serving.md", "Dockerfile"])
def test_every_option_that_is_named_exists(text):
    content = (ROOT / text).read_text()
    ours = [
        line for line in content.splitlines() if not re.search(r"docker|pip|apt|curl|COPY", line)
    ]
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", "\n".join(ours)))
    foreign = {"--system", "--uid", "--no-create-home", "--shell", "--interval", "--timeout"}
    foreign |= {"--start-period", "--help"}
    assert named - foreign <= options_of_serve()
