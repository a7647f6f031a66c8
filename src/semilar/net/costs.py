"""What a network costs: parameters, and multiply-accumulates for one picture."""

from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from semilar.net.registry import REGISTRY, build


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


def network_table() -> list[dict[str, Any]]:
    """Every network of the registry with its cost: what `networks.json` beside this file holds."""
    rows = []
    for name, net in REGISTRY.items():
        counted = cost(name)
        rows.append(
            {
                "name": name,
                "parameters": counted.parameters,
                "gmacs_512": counted.macs / 1e9,
                "multiple": net.multiple,
                "min_size": net.min_size,
                "global_context": net.global_context,
                "summary": net.summary,
            }
        )
    return rows
