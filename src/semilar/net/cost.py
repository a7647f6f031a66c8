"""What a network costs: parameters, and multiply-accumulates for one picture."""

from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from semilar.net.registry import build


@dataclass(frozen=True)
class Cost:
    """`parameters` in units; `macs`, multiply-accumulates for one picture."""

    parameters: int
    macs: int


def cost(name: str, *, size: tuple[int, int] = (512, 512), **options: Any) -> Cost:
    """Count the parameters of the network `name`, and the multiply-accumulates of its
    convolutions and matrix products for one picture of `size` (height, width).

    Only shapes are followed; nothing is computed and no memory is taken.
    """
    with torch.device("meta"):
        net = build(name, **options).eval()
        picture = torch.empty(1, 3, *size)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        net.planes(picture)
    parameters = sum(parameter.numel() for parameter in net.parameters())
    return Cost(parameters, counter.get_total_flops() // 2)
