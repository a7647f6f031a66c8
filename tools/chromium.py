"""See to it that there is a Chromium for the browser tests; Debian's, where there is none.

The one thing the Makefile installs outside its folder. Where it cannot be installed (no Debian, not
root) it says so and the browser tests are skipped; where it should have worked it is an error.
"""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# As it runs in containers, as root, without a network.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def found() -> str | None:
    """The browser's path: named by $SEMILAR_CHROMIUM, or on the search path."""
    named = os.environ.get("SEMILAR_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


def main() -> int:
    """Install if need be; 1 only if an installation failed."""
    if found():
        return 0
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not shutil.which("apt-get") or not root:
        print("No chromium here, and only root on Debian or Ubuntu can get one by this script.")
        print("The browser tests will be skipped. Install chromium to run them.")
        return 0
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    packages = ["chromium", "fonts-dejavu-core"]
    for command in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(["apt-get", "-q", *command], env=quiet, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            print(f"apt-get {command[0]} failed; the browser tests cannot run.", file=sys.stderr)
            return 1
    return 0 if found() else 1


if __name__ == "__main__":
    sys.exit(main())
