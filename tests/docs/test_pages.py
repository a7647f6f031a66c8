"""Every command and every Python block of the documentation works.

A page's blocks run one after the other in a folder with small sample files. A block that takes
minutes is marked `<!-- run: slow -->`, one that asks a running service `<!-- run: service -->`, and
one that needs a GPU, a cluster, the network or an hour `<!-- run: parse, REASON -->`: its verbs,
options, recipes and files are checked only.
"""

import contextlib
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.errors import RecipeError
from tests.docs import samples
from tests.docs.pages import PAGES, PageError, blocks, mentions
from tests.docs.parsing import CommandError, check_mention, only_parsed, parse

pytestmark = pytest.mark.posix  # the commands are written for a POSIX shell
SERVICE = "127.0.0.1:8000"
# Verbs that need PyTorch: run in this process, which has it, where a shell has nothing to do.
LARGE = re.compile(r"semilar (benchmark|evaluate|experiment|score)( [\w./=-]+)*")


@pytest.fixture(scope="module")
def sample_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    samples.fill(folder)
    return folder


@pytest.fixture
def room(sample_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the samples, a home of its own, and this environment's commands first."""
    folder = shutil.copytree(sample_files, tmp_path / "room")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}")
    return folder


def run_page(page: Path, *, slow: bool) -> None:
    """Run the blocks of a page in order; slow ones only if asked for."""
    names: dict[str, Any] = {}
    for block in blocks(page):
        if block.language == "python":
            code = compile(block.code, str(block), "exec")
            if block.how == "now" or (slow and block.how == "slow"):
                exec(code, names)
        elif block.language == "sh":
            wanted = block.how in ("now", "service") or (slow and block.how == "slow")
            with _service() if block.how == "service" else contextlib.nullcontext() as address:
                for command in block.commands():
                    if not wanted or only_parsed(command):
                        parse(command)
                    else:
                        _run(command.replace(SERVICE, address or SERVICE), str(block))


def _run(command: str, where: str) -> None:
    if LARGE.fullmatch(command):
        said = CliRunner().invoke(app, shlex.split(command)[1:])
        assert said.exit_code == 0, f"{where}: {command}\n{said.output}{said.exception or ''}"
        return
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{where}: {command}\n{done.stdout}{done.stderr}"


@contextlib.contextmanager
def _service() -> Iterator[str]:
    """`semilar serve` on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"127.0.0.1:{port}"
    with subprocess.Popen(
        [sys.executable, "-m", "semilar", "serve", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            _wait_until_ready(f"http://{address}/readyz")
            yield address
        finally:
            process.terminate()


def _wait_until_ready(address: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(address, timeout=5)
            return
        assert time.monotonic() < end, f"{address}: no answer"
        time.sleep(0.2)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_of_a_page_works(page: Path, room: Path) -> None:
    run_page(page, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [p for p in PAGES if any(b.how == "slow" for b in blocks(p))], ids=lambda p: p.stem
)
def test_slow_blocks_work_too(page: Path, room: Path) -> None:
    run_page(page, slow=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_within_a_sentence_exists(page: Path) -> None:
    for command in mentions(page):
        check_mention(command)


@pytest.mark.parametrize(
    "command",
    [
        "semilar erase",
        "semilar models inof NAME",
        "semilar remove --strenght",
        "make dmeo",
        "python tools/absent.py",
    ],
)
def test_wrong_commands_within_a_sentence_are_found(command: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"See `{command}` for more.\n\n```sh\nsemilar other\n```\n")
    assert mentions(page) == [command]
    with pytest.raises(CommandError):
        check_mention(command)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Do\n\n    semilar remove x.jpg\n", "indented"),
        ("```\nsemilar remove x.jpg\n```\n", "is none of"),
        ("```bash\nsemilar remove x.jpg\n```\n", "is none of"),
        ("<!-- run: parse -->\n```sh\nmake\n```\n", "say why"),
        ("<!-- run: never -->\n```sh\nmake\n```\n", "not a marker"),
    ],
)
def test_code_that_would_escape_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(PageError, match=complaint):
        list(blocks(Path("page.md"), text))


@pytest.mark.parametrize(
    "command",
    [
        "semilar erase street.jpg",
        "semilar remove street.jpg --strenght 1",
        "semilar models inof",
        "semilar train dsek",
        "semilar train paper machine.device=4",
        "torchrun --nproc-per-node 4 --no-python semilar train paper machine.device=4",
        "python tools/absent.py",
        "python tools/network_table.py --system",
        "semilar experiment rnu all",
        "semilar experiment run all --sclae desk",
        "make dmeo",
        "pip install semilar",
        'pip install ".[trian]"',
        'pip install "semilar[trian]"',
        'pip install "semilar @ git+https://github.com/elsewhere/semilar"',
        "docker run --rm semilar --hots 0.0.0.0",
        "rm -rf /",
    ],
)
def test_wrong_commands_do_not_pass_as_parsed(command: str) -> None:
    with pytest.raises((CommandError, RecipeError)):
        parse(command)


def test_wrong_commands_fail_when_run(room: Path) -> None:
    page = Path("page.md")
    wrong = ("semilar remove absent.jpg", "false | cat", "semilar remove street.jpg --no")
    for code in (*wrong, "semilar score absent.jpg", "semilar experiment show nothing"):
        page.write_text(f"```sh\n{code}\n```\n")
        with pytest.raises(AssertionError, match=r"page\.md:1"):
            run_page(page, slow=False)
    page.write_text("```python\nimport semilar\nsemilar.nothing\n```\n")
    with pytest.raises(AttributeError):
        run_page(page, slow=False)


def test_comments_and_joined_lines() -> None:
    text = "```sh\nmake a \\\n  b  # why\n# alone\necho '#1' \"x # y\"\n```\n"
    (block,) = blocks(Path("page.md"), text)
    assert block.commands() == ["make a b", "echo '#1' \"x # y\""]
