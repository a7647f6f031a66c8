"""Install the project into the virtual environment whose Python runs this file.

uv is several times faster than pip but does not read pip's settings, and those settings are
where a machine says that it offers its own wheels (a CPU build of torch, a company mirror).
So the settings are read from pip and handed to uv; where uv cannot be had, pip does the work.

What only this machine has must not get in, or the next machine fails: both tools are given these
settings and no others, wheels in temporary folders are left aside, and the environment must be a
virtual one that does not see the packages outside of it.
"""

import compileall
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
# pip's setting -> the option that both pip and uv understand
SETTINGS = {"find-links": "--find-links", "index-url": "--index-url"}
# Variables that would bring in other packages, places or settings.
FOREIGN = (
    *("PYTHONPATH", "PYTHONHOME", "PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"),
    *("PIP_CONSTRAINT", "PIP_REQUIREMENT", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER"),
    *("PIP_NO_INDEX", "PIP_NO_DEPS", "PIP_PRE", "UV_FIND_LINKS", "UV_INDEX", "UV_EXTRA_INDEX_URL"),
    *("UV_CONSTRAINT", "UV_OVERRIDE", "UV_NO_INDEX", "UV_TARGET", "UV_PREFIX", "UV_PRERELEASE"),
    "PYTHONDONTWRITEBYTECODE",  # else nothing could be compiled, and each start would do it anew
    *("UV_SYSTEM_PYTHON", "UV_PROJECT_ENVIRONMENT", "UV_CONFIG_FILE", "UV_BUILD_CONSTRAINT"),
)


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


def is_temporary(place: str) -> bool:
    """Whether a path or a `file:` address lies in a folder that may be gone tomorrow."""
    parts = urlsplit(place)
    if parts.scheme not in ("", "file") and len(parts.scheme) > 1:  # C:\wheels has a short one
        return False
    path = Path(unquote(parts.path) if parts.scheme == "file" else place).expanduser().resolve()
    temporary = {tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"}
    return any(path.is_relative_to(Path(folder).resolve()) for folder in temporary)


def options() -> list[str]:
    """The settings for pip and uv, without places that nobody else has."""
    chosen = []
    for setting, value in pip_settings():
        if is_temporary(value):
            print(f"{value}: {setting} in a temporary folder is left aside.", file=sys.stderr)
        else:
            chosen += [SETTINGS[setting], value]
    return chosen


def environment(inherited: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables for pip and uv: no other packages, no settings but those in `options()`."""
    kept = {name: value for name, value in inherited.items() if name not in FOREIGN}
    if "PIP_CERT" in kept:
        kept.setdefault("SSL_CERT_FILE", kept["PIP_CERT"])
    return {**kept, "PYTHONNOUSERSITE": "1", "UV_NO_CONFIG": "1", "PIP_REQUIRE_VIRTUALENV": "1"}


def why_not_here() -> str | None:
    """What is wrong with this environment, if something is."""
    if sys.prefix == sys.base_prefix:
        return f"{sys.executable}: not a virtual environment; make one with python -m venv .venv."
    settings = Path(sys.prefix, "pyvenv.cfg").read_text(encoding="utf-8").lower().replace(" ", "")
    if "include-system-site-packages=true" in settings:
        return f"{sys.prefix}: sees packages outside of it; make it anew with python -m venv."
    return None


def uv_command(given: list[str]) -> list[str] | None:
    """uv inside this environment, installed there if need be; None where it cannot be had."""
    have = subprocess.run([sys.executable, "-m", "uv", "--version"], capture_output=True)
    if have.returncode != 0:
        get = [*PIP, "install", "--quiet", *given, "uv"]
        if subprocess.run(get, env=pip_environment(), check=False).returncode != 0:
            return None
    return [sys.executable, "-m", "uv"]


def pip_environment() -> dict[str, str]:
    """For pip, whose settings files are not read a second time; only its certificates are kept."""
    return {**environment(), "PIP_CONFIG_FILE": os.devnull}


def main() -> int:
    """Install `.[EXTRA]` editable, at the tested versions."""
    problem = why_not_here()
    if problem:
        print(problem, file=sys.stderr)
        return 2
    extra = sys.argv[1] if len(sys.argv) > 1 else "dev"
    given = options()
    target = [*given, "-c", str(ROOT / "constraints.txt"), "-e", f"{ROOT}[{extra}]"]
    uv = uv_command(given)
    if uv is not None:
        install = [*uv, "pip", "install", "--compile-bytecode", "--python", sys.executable, *target]
        if subprocess.run(install, env=environment(), check=False).returncode == 0:
            return 0 if compileall.compile_dir(ROOT / "src", quiet=1) else 1
    print("uv could not do it; pip takes over.", file=sys.stderr)
    return subprocess.run([*PIP, "install", *target], env=pip_environment(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
