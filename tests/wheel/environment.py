"""A virtual environment outside the repository that holds the wheel and what it needs."""

import os
import socket
import subprocess
import sys
import venv
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tools import install


def need_index() -> None:
    """Skip where no package index can be reached."""
    settings = dict(install.pip_settings())
    host = urlsplit(settings.get("index-url", "https://pypi.org/simple"))
    try:
        socket.create_connection((host.hostname or "", host.port or 443), timeout=5).close()
    except OSError:
        pytest.skip(f"no package index: {host.hostname} does not answer")


class Environment:
    """`run` does what a person does in a shell there; nothing of the repository is in reach."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.work.mkdir(parents=True)
        venv.create(folder / "env", with_pip=False, symlinks=os.name != "nt")
        self.scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.scripts / "python"

    def install(self, requirement: str) -> None:
        """Install a wheel, with extras if named behind it, at the tested versions."""
        uv = install.uv_command(install.options())
        assert uv is not None, "uv cannot be had"
        given = ["--quiet", *install.options(), "-c", str(install.ROOT / "constraints.txt")]
        done = subprocess.run(
            [*uv, "pip", "install", "--python", str(self.python), *given, requirement],
            env=install.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def variables(self) -> dict[str, str]:
        """A new home, these commands first, and nothing that leads back to the repository."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "SEMILAR"))}
        path = f"{self.scripts}{os.pathsep}{kept['PATH']}"
        home = str(self.folder / "home")
        return {**kept, "PATH": path, "HOME": home, "USERPROFILE": home, "VIRTUAL_ENV": ""}

    def start(self, *command: str | Path) -> subprocess.Popen[str]:
        """A command that goes on running."""
        return subprocess.Popen(
            [self.scripts / command[0], *command[1:]],
            cwd=self.work,
            env=self.variables(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str | Path) -> str:
        """What a command prints; it has to succeed."""
        done = subprocess.run(
            [self.scripts / command[0], *command[1:]],
            cwd=self.work,
            env=self.variables(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def packages(self) -> Path:
        """Where packages are installed."""
        return Path(
            self.run("python", "-c", "import sysconfig as s; print(s.get_path('purelib'))").strip()
        )

    def megabytes(self) -> float:
        """What is installed, on disk."""
        files = (file for file in self.packages().rglob("*") if file.is_file())
        return sum(file.stat().st_size for file in files) / 1e6


def build(out: Path) -> tuple[Path, Path]:
    """The wheel and the sdist, built as a release builds them but without asking an index."""
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(install.ROOT)],
        check=True,
        capture_output=True,
    )
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist
