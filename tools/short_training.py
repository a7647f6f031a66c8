"""Is the simulator right? A short training with its pictures, measured on all real pairs.

    python tools/short_training.py --photos DIR --strong PAIRS --mild PAIRS [KEY=VALUE ...]

Runs the recipe `bundled-lit`: from `semilar-t`, at most 20 minutes on two idle cores. What it made
is measured on every strong and every mild pair, through the whole pipeline. Each bar is printed
with what was reached; the exit status is 1 if one is missed. Where the processor cannot multiply
bfloat16, add `machine.precision=32-true`. The run folder must be new, or `--resume` goes on with
it.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import fmean

from choose_model import MILD_WORSE, Figures, figures, gain, read_pairs, worse

from semilar.restore import Remover

SEMILAR = str(Path(sys.executable).with_name("semilar"))
MINUTES = 20


def bars(found: Figures) -> list[tuple[str, float, bool]]:
    """What a simulator has to reach: its name, the figure, and whether that is enough."""
    strong, mild = gain(found.strong), gain(found.mild)
    lost, alone = worse(found.mild, MILD_WORSE), fmean(found.clean)
    return [
        ("strong pairs, dB over the untouched input, at least 1.7", strong, strong >= 1.7),
        ("mild pairs, dB over the untouched input, at least 0.5", mild, mild >= 0.5),
        (f"mild pairs worse by {MILD_WORSE} dB, at most 8", lost, lost <= 8),
        ("clean photographs, dB, at least 45", alone, alone >= 45),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--photos", type=Path, required=True, help="backgrounds to train on")
    parser.add_argument("--strong", type=Path, required=True, help="real pairs, strong flare")
    parser.add_argument("--mild", type=Path, required=True, help="real pairs, mild flare")
    parser.add_argument("--run", type=Path, default=Path("runs/short"), help="the run folder")
    parser.add_argument("--resume", action="store_true", help="go on with a run")
    parser.add_argument("changes", nargs="*", help="changes of the recipe, KEY=VALUE")
    options = parser.parse_args()
    command = [SEMILAR, "train", "bundled-lit", f"run={options.run}", "validation.sets={}"]
    command += [f"labeled.backgrounds.folder={options.photos}", *options.changes]
    command += ["--max-minutes", str(MINUTES)] + ["--resume"] * options.resume
    done = subprocess.run(command)
    if done.returncode:
        return done.returncode
    remover = Remover(model=options.run / "last-teacher.safetensors")
    found = figures(remover, read_pairs(options.strong), read_pairs(options.mild))
    print(found)
    for name, figure, enough in bars(found):
        print(f"{'reached' if enough else 'MISSED '}  {figure:6.2f}  {name}")
    return 0 if all(enough for *_, enough in bars(found)) else 1


if __name__ == "__main__":
    sys.exit(main())
