"""The networks by name: a plain dict, and what each one needs as data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from semilar import plugins
from semilar.errors import SemilarError
from semilar.net.deflaremamba import DeflareMamba
from semilar.net.external import build_external, load_class
from semilar.net.hinet import HINet
from semilar.net.interface import MIN_SIZE, FlareNet
from semilar.net.memory import keep_freed_memory
from semilar.net.mfdnet import MFDNet
from semilar.net.nafnet import NAFNet
from semilar.net.published import PUBLISHED, build_published
from semilar.net.raliformer import RaLiFormer
from semilar.net.restormer import Restormer
from semilar.net.sfsnid import SFSNiD
from semilar.net.sgsft import SGSFT
from semilar.net.slcformer import SLCFormer
from semilar.net.uformer import Uformer
from semilar.net.unet import UNet
from semilar.net.wu_unet import WuUNet


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
    options: Mapping[str, Any] = field(default_factory=dict)
    min_size: int = MIN_SIZE


_TINY: dict[str, Any] = {
    "widths": (32, 64, 96, 192),
    "depths": (2, 2, 2, 2, 2, 2, 2),
    "blocks": ("conv", "conv", "conv", "psc"),
    "stem": 4,
    "skip": "add",
}

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
        options={
            "widths": (24, 48, 96, 192, 384),
            "depths": (1, 1, 2, 2, 2, 1, 2, 2, 1),
            "head_width": 24,
        },
    ),
    "raliformer-t": NetInfo(
        builder=RaLiFormer,
        summary="RaLiFormer, tiny: trains and runs on a desk computer",
        multiple=32,
        global_context=True,
        options=_TINY,
    ),
    "raliformer-td": NetInfo(
        builder=RaLiFormer,
        summary="raliformer-t, deeper where the picture is small",
        multiple=32,
        global_context=True,
        options={**_TINY, "depths": (2, 3, 4, 5, 4, 3, 2)},
    ),
    "unet": NetInfo(
        builder=UNet,
        summary="U-Net, 64 to 1024 channels",
        multiple=32,
        global_context=False,
    ),
    "unet-desk": NetInfo(
        builder=UNet,
        summary="U-Net, 16 to 256 channels",
        multiple=32,
        global_context=False,
        options={"widths": (16, 32, 64, 128, 256)},
    ),
    "uformer": NetInfo(
        builder=Uformer,
        summary="Uformer-S with modulators, as flare benchmarks use it",
        multiple=128,
        global_context=False,
    ),
    "uformer-desk": NetInfo(
        builder=Uformer,
        summary="Uformer of 8 channels, one block a stage",
        multiple=128,
        global_context=False,
        options={"width": 8, "depths": (1,) * 9, "heads": (1, 1, 2, 4, 8, 8, 4, 2, 1)},
    ),
    "hinet": NetInfo(
        builder=HINet,
        summary="HINet, two subnets of 64 to 1024 channels",
        multiple=32,
        global_context=True,
    ),
    "hinet-desk": NetInfo(
        builder=HINet,
        summary="HINet, two subnets of 8 to 64 channels",
        multiple=16,
        global_context=True,
        options={"width": 8, "depth": 4},
    ),
    "restormer": NetInfo(
        builder=Restormer,
        summary="Restormer, 48 to 384 channels",
        multiple=8,
        global_context=True,
    ),
    "restormer-desk": NetInfo(
        builder=Restormer,
        summary="Restormer, 12 to 96 channels, two blocks a stage at most",
        multiple=8,
        global_context=True,
        options={"width": 12, "depths": (1, 2, 2, 2), "refinement": 1},
    ),
    "nafnet": NetInfo(
        builder=NAFNet,
        summary="NAFNet-32 as published for denoising",
        multiple=16,
        global_context=True,
    ),
    "nafnet-desk": NetInfo(
        builder=NAFNet,
        summary="NAFNet of 12 channels",
        multiple=16,
        global_context=True,
        options={
            "width": 12,
            "encoder": (1, 1, 1, 2),
            "middle": 2,
            "decoder": (1, 1, 1, 1),
        },
    ),
    "mfdnet": NetInfo(
        builder=MFDNet,
        summary="MFDNet, three bands",
        multiple=32,
        global_context=True,
    ),
    "mfdnet-desk": NetInfo(
        builder=MFDNet,
        summary="MFDNet of 8 and 16 channels",
        multiple=32,
        global_context=True,
        options={"low_width": 8, "high_width": 16},
    ),
    "wu-unet": NetInfo(
        builder=WuUNet,
        summary="U-Net of Wu et al., which Zhou et al. use too",
        multiple=16,
        global_context=False,
    ),
    "wu-unet-desk": NetInfo(
        builder=WuUNet,
        summary="U-Net of Wu et al., 16 to 128 channels",
        multiple=8,
        global_context=False,
        options={"widths": (16, 32, 64, 128)},
    ),
    "sfsnid": NetInfo(
        builder=SFSNiD,
        summary="SFSNiD, space and frequency, 32 to 128 channels",
        multiple=32,
        global_context=True,
    ),
    "sfsnid-desk": NetInfo(
        builder=SFSNiD,
        summary="SFSNiD of 8 channels, one block a stage",
        multiple=32,
        global_context=True,
        options={"width": 8, "depth": 1},
    ),
    "sgsft": NetInfo(
        builder=SGSFT,
        summary="SGSFT, a drawn flare guides the second network",
        multiple=64,
        global_context=True,
    ),
    "sgsft-desk": NetInfo(
        builder=SGSFT,
        summary="SGSFT of 8 channels, two stages",
        multiple=32,
        global_context=True,
        options={
            "width": 8,
            "encoder": (2, 1),
            "bottleneck": 1,
            "decoder": (1, 1),
            "prior_width": 8,
            "prior_depths": (1, 1, 2),
        },
    ),
    "deflaremamba": NetInfo(
        builder=DeflareMamba,
        summary="DeflareMamba, selective scans, 40 to 320 channels",
        multiple=128,
        global_context=True,
    ),
    "deflaremamba-desk": NetInfo(
        builder=DeflareMamba,
        summary="DeflareMamba of 12 channels, one block a stage",
        multiple=64,
        global_context=True,
        options={"width": 12, "depths": (1, 1, 1, 1, 1), "states": 4},
    ),
    "slcformer": NetInfo(
        builder=SLCFormer,
        summary="SLCFormer, spectrum and surroundings, 32 to 512 channels",
        multiple=32,
        global_context=True,
    ),
    "slcformer-desk": NetInfo(
        builder=SLCFormer,
        summary="SLCFormer of 8 channels, one block a stage",
        multiple=32,
        global_context=True,
        options={"width": 8, "depths": (1,) * 9},
    ),
}


def describe(name: str) -> NetInfo:
    """What the network called `name` needs and does; `package.module:Class` is anybody's own."""
    if ":" in name:
        return NetInfo(
            builder=partial(build_external, name),
            summary=f"{name}, a network from outside",
            multiple=int(getattr(load_class(name), "multiple", 1)),
            global_context=True,
        )
    if name in PUBLISHED:
        return NetInfo(
            builder=partial(build_published, name),
            summary=f"{name}, for weights that its authors published",
            multiple=1,  # goes by its options
            global_context=True,
        )
    info = plugins.find("networks", name, REGISTRY)
    if info is None:
        raise SemilarError(
            f"{name}: no such network; there are {', '.join(plugins.names('networks', REGISTRY))}, "
            "or your own as package.module:Class."
        )
    return info


def build(name: str, **options: Any) -> FlareNet:
    """The network called `name`, freshly initialised; `options` override its size and parts.

    From then on the process keeps the memory that it frees (`keep_freed_memory`).

    >>> net = build("raliformer-t")
    """
    keep_freed_memory()
    info = describe(name)
    return info.builder(**{**info.options, **options})


def identity(name: str, **options: Any) -> dict[str, Any]:
    """What a file of weights says of its network: the name and every option, the registry's too.

    Weights then still fit when the registry gives the name another size.
    """
    return {"name": name, "options": {**describe(name).options, **options}}
