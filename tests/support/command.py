"""The command line as a person runs it: in a process of its own."""

import subprocess
import sys
from pathlib import Path

# Makes `import NAME` fail as if NAME were not installed.
_HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hidden())
"""
_RUN = "from semilar.cli.main import run; sys.argv[0] = 'semilar'; run()"


def semilar(
    *arguments: str | Path,
    without: tuple[str, ...] = (),
    cwd: Path | None = None,
    stdin: bytes | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `semilar ARGUMENTS`; modules named in `without` are not to be had."""
    script = (_HIDE.format(names=set(without)) if without else "import sys\n") + _RUN
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        cwd=cwd,
        input=stdin,
    )
    out, err = (stream.decode(errors="surrogateescape") for stream in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)
