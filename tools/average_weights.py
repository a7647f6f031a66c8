"""Average the weights of several runs of one network: often better than any of them.

    python tools/average_weights.py WEIGHTS.safetensors WEIGHTS.safetensors [...] OUT.safetensors
        [--shares 0.3 0.7]

OUT has the card of the last WEIGHTS. Without --shares all count the same.
"""

import argparse
from pathlib import Path

import numpy as np

from semilar.restore.models import find_model
from semilar.restore.torch_engine import load_network
from semilar.train.weights_file import write_weights


def main() -> None:
    """Write the average; networks of different shapes are an error of torch."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("weights", type=Path, nargs="+")
    parser.add_argument("out", type=Path)
    parser.add_argument("--shares", type=float, nargs="+", help="one each; 1 in all")
    options = parser.parse_args()
    shares = options.shares or [1 / len(options.weights)] * len(options.weights)
    if len(shares) != len(options.weights) or not np.isclose(sum(shares), 1):
        parser.error("--shares needs one number for each of the weights, 1 in all.")
    models = [find_model(path) for path in options.weights]
    states = [load_network(found).float().state_dict() for found in models]
    net = load_network(models[-1]).float()
    net.load_state_dict(
        {
            name: sum(state[name] * share for state, share in zip(states, shares, strict=True))
            for name in states[0]
        }
    )
    write_weights(options.out, net, models[-1].card)


if __name__ == "__main__":
    main()
