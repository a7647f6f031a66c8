"""How long `import semilar` and `semilar --help` take, beside an empty interpreter.

Each is started in turn, several times; printed are medians and their ratio to the empty one.
"""

import statistics
import subprocess
import sys
import time

ROUNDS = 15
CASES = {
    "empty interpreter": "pass",
    "import semilar": "import semilar",
    "import semilar.photo": "import semilar.photo",
    "semilar --help": "import sys; sys.argv = ['semilar', '--help']; "
    "from semilar.cli.main import run; run()",
}


def seconds(code: str) -> float:
    """Wall time of one interpreter running `code`."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    """Print one line per case."""
    times: dict[str, list[float]] = {name: [] for name in CASES}
    for _ in range(ROUNDS):
        for name, code in CASES.items():
            times[name].append(seconds(code))
    medians = {name: statistics.median(values) for name, values in times.items()}
    empty = medians["empty interpreter"]
    for name, median in medians.items():
        more = median - empty
        print(f"{name:22} {median:6.3f} s  {median / empty:5.1f} x empty  +{more:.3f} s")


if __name__ == "__main__":
    main()
