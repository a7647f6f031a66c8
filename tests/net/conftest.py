"""Networks for tests: shallow, and with a last layer that is not zero."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from semilar.net import FlareNet, build

# One network of each kind at the least depth: what a test of shapes, graphs or engines needs.
SHALLOW: dict[str, dict[str, Any]] = {
    "raliformer": {"widths": (8, 16), "depths": (1, 1, 1), "blocks": ("psc",) * 2, "head_width": 8},
    "raliformer-t": {
        "widths": (8, 16, 16),
        "depths": (1,) * 5,
        "blocks": ("conv", "conv", "psc"),
        "head_width": 8,
    },
    "unet": {"widths": (4, 8)},
    "uformer": {"width": 4, "depths": (2, 2, 2), "heads": (1, 2, 2), "side": 4},
    "hinet": {"width": 4, "depth": 2},
    "restormer": {"width": 8, "depths": (1, 1, 1, 1), "heads": (1, 1, 2, 2), "refinement": 1},
    "nafnet": {"width": 4, "encoder": (1, 1), "middle": 1, "decoder": (1, 1)},
    "mfdnet": {"low_width": 4, "high_width": 4},
    "wu-unet": {"widths": (4, 8)},
    "sfsnid": {"width": 4, "depth": 1},
    "sgsft": {
        "width": 4,
        "encoder": (1, 1),
        "bottleneck": 1,
        "decoder": (1, 2),
        "prior_width": 4,
        "prior_depths": (1, 1),
    },
    "deflaremamba": {"width": 4, "depths": (1, 1, 1), "states": 2, "chunk": 8},
    "slcformer": {"width": 4, "depths": (1, 1, 1)},
}


def awake(net: FlareNet) -> FlareNet:
    """The network in evaluation mode, every all-zero parameter replaced by small noise."""
    for parameter in net.parameters():
        if not parameter.any():
            torch.nn.init.normal_(parameter, std=0.05)
    return net.eval()


@pytest.fixture
def shallow() -> Callable[[str], FlareNet]:
    """Builds the shallow network of a name, awake, the same at every call."""

    def make(name: str) -> FlareNet:
        torch.manual_seed(0)
        return awake(build(name, **SHALLOW[name]))

    return make
