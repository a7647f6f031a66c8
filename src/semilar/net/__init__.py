"""Networks and their registry; one file per building block.

>>> import torch
>>> scene, flare = build("raliformer-t")(torch.rand(1, 3, 40, 56))
>>> scene.shape
torch.Size([1, 3, 40, 56])
"""

from semilar.net.blocks import ConvBlock, PSCBlock
from semilar.net.costs import cost, network_table
from semilar.net.interface import FlareNet
from semilar.net.memory import keep_freed_memory
from semilar.net.registry import REGISTRY, NetInfo, build, describe, identity

__all__ = [
    "REGISTRY",
    "ConvBlock",
    "FlareNet",
    "NetInfo",
    "PSCBlock",
    "build",
    "cost",
    "describe",
    "identity",
    "keep_freed_memory",
    "network_table",
]
