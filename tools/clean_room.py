"""Do what a newcomer does on a machine that has never seen this project, and time it.

    python tools/clean_room.py            # make demo
    python tools/clean_room.py --test     # make test as well

The last commit is cloned into a new folder. HOME and all caches are new and empty, variables of
Python, pip, uv and XDG are gone; what the machine offers to everybody (pip's settings in /etc, a
certificate, a proxy) stays. Ends with the status of the first command that failed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Where a tool would find what an earlier run or another project left behind.
FOREIGN = (
    "PYTHON",
    "PIP_",
    "UV_",
    "XDG_",
    "SEMILAR",
    "VIRTUAL_ENV",
    "CONDA",
    "HF_",
    "TORCH",
    "MAKE",
)
# Which index and which certificates a machine uses is not of this project's making.
OFFERED = ("PIP_CERT", "PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT")


def newcomer(home: Path, inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables of a person who has just got this machine."""
    kept = {
        name: value
        for name, value in inherited.items()
        if name in OFFERED or not name.startswith(FOREIGN)
    }
    caches = {"UV_CACHE_DIR": "uv", "PIP_CACHE_DIR": "pip", "XDG_CACHE_HOME": "cache"}
    places = {"XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "TMPDIR": "tmp", **caches}
    for folder in places.values():
        (home / folder).mkdir(parents=True, exist_ok=True)
    return kept | {"HOME": str(home)} | {name: str(home / at) for name, at in places.items()}


def timed(command: list[str], folder: Path, variables: dict[str, str]) -> float:
    """Seconds that a command took; ends this program if it failed."""
    print(f"$ {' '.join(command)}", flush=True)
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=variables, check=False)
    if done.returncode:
        print(f"{' '.join(command)}: failed after {time.monotonic() - began:.0f} s")
        sys.exit(done.returncode)
    return time.monotonic() - began


def main() -> int:
    """Clone, run, print the times."""
    parser = argparse.ArgumentParser(description="make demo on a machine that knows nothing.")
    parser.add_argument("--test", action="store_true", help="run make test as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clean-room-") as name:
        room = Path(name)
        variables = newcomer(room / "home")
        clone = ["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), "semilar"]
        subprocess.run(clone, cwd=room, check=True)
        targets = ["demo", "test"] if options.test else ["demo"]
        times = {target: timed(["make", target], room / "semilar", variables) for target in targets}
    for target, seconds in times.items():
        print(f"make {target}: {seconds // 60:.0f} min {seconds % 60:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
