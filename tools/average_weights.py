"""Average the weights of several runs of one network: often better than any of them.

    python tools/average_weights.py WEIGHTS.safetensors [WEIGHTS.safetensors ...] OUT.safetensors
        [--shares 0.3 0.7] [--change 1.08]

OUT has the card of the last WEIGHTS. Without --shares all count the same. --change makes all that
the network changes of a picture so many times larger (RaLiFormer only).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn

from semilar.net.raliformer import RaLiFormer
from semilar.restore.models import find_model
from semilar.restore.torch_engine import load_network
from semilar.train.weights_file import write_weights


def average(networks: Sequence[nn.Module], shares: Sequence[float]) -> nn.Module:
    """The last of `networks`, with the mean of all their weights, which have the same shapes."""
    states = [network.state_dict() for network in networks]
    networks[-1].load_state_dict(
        {
            name: sum(state[name] * share for state, share in zip(states, shares, strict=True))
            for name in states[0]
        }
    )
    return networks[-1]


@torch.no_grad()
def enlarge_change(network: RaLiFormer, factor: float) -> None:
    """Make `network` change pictures by so much more: the last layer is linear, its first half is
    the change of the scene.
    """
    last = network.project_out[0]
    assert isinstance(last, nn.Conv2d)
    assert last.bias is not None
    for values in (last.weight, last.bias):
        values[: last.out_channels // 2] *= factor


def main() -> None:
    """Write the average."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("weights", type=Path, nargs="+")
    parser.add_argument("out", type=Path)
    parser.add_argument("--shares", type=float, nargs="+", help="one each; 1 in all")
    parser.add_argument("--change", type=float, default=1.0, help="factor on what is changed")
    options = parser.parse_args()
    shares = options.shares or [1 / len(options.weights)] * len(options.weights)
    if len(shares) != len(options.weights) or not np.isclose(sum(shares), 1):
        parser.error("--shares needs one number for each of the weights, 1 in all.")
    models = [find_model(path) for path in options.weights]
    net = average([load_network(found).float() for found in models], shares)
    if options.change != 1:
        if not isinstance(net, RaLiFormer):
            parser.error("--change is for RaLiFormer.")
        enlarge_change(net, options.change)
    write_weights(options.out, net, models[-1].card)


if __name__ == "__main__":
    main()
