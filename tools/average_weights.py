"""Average the weights of two runs of one network: often better than either.

    python tools/average_weights.py FIRST.safetensors LAST.safetensors OUT.safetensors [--share 0.5]

OUT has the card of LAST. The share is LAST's.
"""

import argparse
from pathlib import Path

from semilar.restore.models import find_model
from semilar.restore.torch_engine import load_network
from semilar.train.weights_file import write_weights


def main() -> None:
    """Write the average; networks of different shapes are an error of torch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=Path)
    parser.add_argument("last", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--share", type=float, default=0.5)
    options = parser.parse_args()
    found = find_model(options.last)
    net = load_network(found).float()
    first = load_network(find_model(options.first)).float().state_dict()
    last = net.state_dict()
    net.load_state_dict({name: first[name].lerp(last[name], options.share) for name in last})
    write_weights(options.out, net, found.card)


if __name__ == "__main__":
    main()
