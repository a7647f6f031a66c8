"""The networks by name: a plain dict, and what each one needs as data."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from semilar.errors import SemilarError
from semilar.net.interface import MIN_SIZE, FlareNet
from semilar.net.raliformer import RaLiFormer


@dataclass(frozen=True, kw_only=True)
class NetInfo:
    """A network's builder and what a caller should know before running it.

    `multiple` is what the network pads to by itself; `global_context` says that every output pixel
    depends on the whole picture, so that cutting it into tiles harms the result.
    """

    builder: Callable[..., FlareNet]
    summary: str
    multiple: int
    global_context: bool
    options: dict[str, Any] = field(default_factory=dict)
    min_size: int = MIN_SIZE


REGISTRY: dict[str, NetInfo] = {
    "raliformer": NetInfo(
        builder=RaLiFormer,
        summary="RaLiFormer at the paper's size",
        multiple=32,
        global_context=True,
    ),
    "raliformer-s": NetInfo(
        builder=RaLiFormer,
        summary="RaLiFormer, small",
        multiple=32,
        global_context=True,
        options={"widths": (16, 32, 64, 128, 256), "head_width": 16},
    ),
    "raliformer-t": NetInfo(
        builder=RaLiFormer,
        summary="RaLiFormer, tiny: trains and runs on a desk computer",
        multiple=32,
        global_context=True,
        options={
            "widths": (32, 64, 128, 256),
            "depths": (2, 2, 2, 2, 2, 2, 2),
            "blocks": ("conv", "conv", "psc", "psc"),
            "stem": 4,
            "skip": "add",
        },
    ),
}


def describe(name: str) -> NetInfo:
    """What the network called `name` needs and does."""
    if name not in REGISTRY:
        raise SemilarError(f"{name}: no such network; there are {', '.join(sorted(REGISTRY))}.")
    return REGISTRY[name]


def build(name: str, **options: Any) -> FlareNet:
    """The network called `name`, freshly initialised; `options` override its size and parts.

    >>> net = build("raliformer-t")
    """
    info = describe(name)
    return info.builder(**{**info.options, **options})
