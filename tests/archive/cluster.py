"""A Ray cluster of two workers in a process of its own: `python -m tests.archive.cluster`.

Prints its address and stays until its standard input ends; then everything of it is gone.
"""

import contextlib
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
TRIES = 4
# A cluster and its drivers share a token; this one is nobody else's and lies in no file.
ENVIRONMENT = {
    **os.environ,
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
    "RAY_BACKEND_LOG_LEVEL": "fatal",
}


@contextlib.contextmanager
def cluster() -> Iterator[tuple[str, int]]:
    """Gives the cluster's address and the id of the process that holds it."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.archive.cluster"],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            address = process.stdout.readline().strip()
            assert address, "Ray did not start"
            yield address, process.pid
        finally:
            process.stdin.close()
            process.wait(60)


def main() -> None:
    import ray

    small = {"num_cpus": 2, "object_store_memory": 200 * 2**20, "include_dashboard": False}
    for _ in range(TRIES):
        try:
            ray.init(**small, log_to_driver=False)
            break
        except Exception:  # Ray waits half a minute for itself, which a busy computer overruns
            ray.shutdown()
    print(ray.get_runtime_context().gcs_address, flush=True)
    sys.stdin.read()
    ray.shutdown()


if __name__ == "__main__":
    main()
