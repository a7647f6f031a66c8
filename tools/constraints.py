"""Write constraints.txt: one tested version of everything that the extras of pyproject need.

    python tools/constraints.py              # keep what is pinned, add and drop what changed
    python tools/constraints.py --upgrade    # the newest versions that go together

uv resolves the extras from the package index alone, whatever is installed, cached or
lying in a folder of this machine. Versions are chosen for the oldest Python; then every other
Python and system must be able to install the very same ones from wheels. So a line is always
`name==version`, without markers.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":  # `python tools/constraints.py` finds this file's folder only
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.install import ROOT, environment, options, pip_settings, uv_command

FILE = ROOT / "constraints.txt"
HEAD = """\
# The versions the suite was last run with, written by tools/constraints.py. The Makefile uses them;
# so does pip install -c constraints.txt.
"""
# Raised by hand: a machine that offers a CPU build of torch offers one version of it.
HELD = ("torch==2.13.0",)
# What torch's builds for graphics cards bring; torch itself says which versions of them it takes.
GRAPHICS = ("cuda-", "nvidia-", "triton")
PYTHONS = ("3.11.5", "3.12", "3.13", "3.14")
SYSTEMS = ("x86_64-manylinux_2_28", "aarch64-apple-darwin", "x86_64-pc-windows-msvc")


def name(pin: str) -> str:
    """The package of a line."""
    return pin.partition("==")[0]


def resolve(uv: list[str], python: str, system: str, pinned: set[str], known: Path) -> set[str]:
    """The pins for one Python on one system; `pinned` ones must stay, those of `known` may."""
    with tempfile.TemporaryDirectory() as folder:
        fixed, output = Path(folder, "fixed.txt"), Path(folder, "pins.txt")
        fixed.write_text("\n".join([*HELD, *sorted(pinned)]), encoding="utf-8")
        if known.exists():
            output.write_text(known.read_text(encoding="utf-8"), encoding="utf-8")
        index = [f"--{key}={url}" for key, url in pip_settings() if key == "index-url"]
        command = [
            *(*uv, "pip", "compile", str(ROOT / "pyproject.toml"), "--all-extras", *index),
            *("--python-version", python, "--python-platform", system, "--only-binary", ":all:"),
            *("--no-cache", "--no-python-downloads", "--no-header", "--no-annotate", "--quiet"),
            *("--constraint", str(fixed), "--output-file", str(output)),
        ]
        # The oldest macOS that the index has wheels of ONNX Runtime for.
        variables = {**environment(), "MACOSX_DEPLOYMENT_TARGET": "14.0"}
        done = subprocess.run(command, env=variables, check=False)
        if done.returncode:
            raise SystemExit(f"Python {python} on {system}: no set of wheels goes together.")
        lines = output.read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith(GRAPHICS)}


def main() -> int:
    """Resolve for every Python and system, and write the file."""
    parser = argparse.ArgumentParser(description="Write constraints.txt.")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    wanted = parser.parse_args()
    uv = uv_command(options())
    if uv is None:
        raise SystemExit("uv cannot be had; it resolves the versions.")
    known = Path(os.devnull, "none") if wanted.upgrade else FILE
    pins: set[str] = set()
    for system in SYSTEMS:
        for python in PYTHONS:
            pins |= resolve(uv, python, system, pins, known)
            print(f"Python {python} on {system}: {len(pins)} packages", file=sys.stderr)
    FILE.write_text(HEAD + "".join(f"{pin}\n" for pin in sorted(pins, key=name)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
