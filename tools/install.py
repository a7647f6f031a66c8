"""Install the project into the virtual environment whose Python runs this file.

uv is several times faster than pip but does not read pip's settings, and those settings are
where a machine says that it offers its own wheels (a CPU build of torch, a company mirror).
So the settings are read from pip and handed to uv; where uv cannot be had, pip does the work.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
# pip's setting -> the option that both pip and uv understand
SETTINGS = {"find-links": "--find-links", "index-url": "--index-url"}


def pip_settings() -> list[tuple[str, str]]:
    """The (setting, value) pairs pip would use; environment variables come first, as in pip."""
    listing = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=False)
    found: dict[str, str] = {}
    for line in sorted(listing.stdout.splitlines(), key=lambda text: not text.startswith(":env:")):
        key, _, value = line.partition("=")
        found.setdefault(key.strip().rpartition(".")[2], value.strip().strip("'\""))
    return [
        (setting, single)
        for setting, value in found.items()
        if setting in SETTINGS
        for single in value.replace("\\n", " ").split()
    ]


def uv_command() -> list[str] | None:
    """uv inside this environment, installed there if need be; None where it cannot be had."""
    have = subprocess.run([sys.executable, "-m", "uv", "--version"], capture_output=True)
    if have.returncode != 0:
        got = subprocess.run([*PIP, "install", "--quiet", "uv"], check=False)
        if got.returncode != 0:
            return None
    options = [part for key, value in pip_settings() for part in (SETTINGS[key], value)]
    return [sys.executable, "-m", "uv", "pip", "install", "--python", sys.executable, *options]


def main() -> int:
    """Install `.[EXTRA]` editable, at the tested versions."""
    extra = sys.argv[1] if len(sys.argv) > 1 else "dev"
    target = ["-c", str(ROOT / "constraints.txt"), "-e", f"{ROOT}[{extra}]"]
    uv = uv_command()
    if uv is not None and subprocess.run([*uv, *target], check=False).returncode == 0:
        return 0
    print("uv could not do it; pip takes over.", file=sys.stderr)
    return subprocess.run([*PIP, "install", *target], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
