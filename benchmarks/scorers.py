"""What a score costs beside the restoration that is scored: both on a 512 x 512 picture, in turn.

python benchmarks/scorers.py [ROUNDS]
"""

import statistics
import sys
import time

import torch

from semilar.net import build
from semilar.quality.scorers import scorer
from semilar.quality.scorers.musiq import Musiq

SIDE = 512


def seconds(call, *arguments) -> float:
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


@torch.inference_mode()
def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    torch.set_num_threads(1)
    picture = torch.rand(1, 3, SIDE, SIDE)
    contenders = {
        "raliformer forward": build("raliformer").eval(),
        "flare-score": scorer("flare-score"),
        "niqe": scorer("niqe"),
        "musiq (random weights)": Musiq().eval(),
    }
    spent = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name, call in contenders.items():
            taken = seconds(call, picture)
            if turn:  # the first round warms up
                spent[name].append(taken)
    ruler = statistics.median(spent["raliformer forward"])
    print(f"{SIDE} x {SIDE}, one thread, median of {rounds}")
    for name, times in spent.items():
        median = statistics.median(times)
        print(f"{name:24s} {1000 * median:8.1f} ms   {median / ruler:7.4f} of raliformer")


if __name__ == "__main__":
    main()
