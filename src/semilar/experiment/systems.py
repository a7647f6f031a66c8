"""The systems of the paper's comparison: what their networks cost here and as published."""

import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock

from semilar.files import write_text
from semilar.net import build

_MLP = {"feed": "mlp", "modulated": False}
_SIZE = 512


@dataclass(frozen=True)
class System:
    """A system: its network here, and what is known of the published one.

    `parameters` in millions and `gmacs` at 512² are those of the published code or paper; `row` is
    its row in the experiment `systems`.
    """

    title: str
    network: str
    parameters: float | None = None
    gmacs: float | None = None
    options: dict[str, Any] = field(default_factory=dict)
    row: str = ""


SYSTEMS = (
    System("Wu et al., Zhou et al.", "wu-unet", 31.03, row="Wu et al."),
    System("Flare7K, Flare7K++: Uformer", "flare7k-uformer", 20.47, 161.0, _MLP, row="Flare7K++"),
    System("Flare7K, Flare7K++: U-Net", "flare7k-unet", 34.53, 261.5),
    System("Semi-LAR: the authors' RaLiFormer", "semi-lar-raliformer", 28.10, 52.45),
    System("U-Net", "unet", 31.03, row="U-Net"),
    System("Uformer with modulators", "uformer", 20.75),
    System("HINet", "hinet", 88.67, row="HINet"),
    System("Restormer", "restormer", 26.13, row="Restormer"),
    System("NAFNet", "nafnet", 29.16, row="NAFNet"),
    System("MFDNet", "mfdnet", 6.35, row="MFDNet"),
    System("SFSNiD", "sfsnid", row="SFSNiD"),
    System("SGSFT", "sgsft", row="SGSFT"),
    System("DeflareMamba", "deflaremamba", row="DeflareMamba"),
    System("SLCFormer", "slcformer", row="SLCFormer"),
)
# As the paper describes it; its authors' code has the 28.10 M of the row above.
_OURS = System("RaLiFormer", "raliformer", row="RaLiFormer")


def system_of(row: str) -> System | None:
    """The system behind a row of the experiment `systems`."""
    return next((one for one in (*SYSTEMS, _OURS) if one.row == row), None)


def speed_file(root: Path, system: System) -> Path:
    """Where a system's speed is written down."""
    return root / "speed" / f"{system.network}.json"


def measure_speed(root: Path, system: System) -> None:
    """Write down the CPU seconds of one thread for one picture of 512², unless they are there."""
    target = speed_file(root, system)
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{target}.lock"):
        if not target.is_file():
            write_text(target, json.dumps({"seconds": seconds_at_512(system)}))


def read_speed(root: Path, system: System) -> float | None:
    """What `measure_speed` wrote."""
    target = speed_file(root, system)
    if not target.is_file():
        return None
    return json.loads(target.read_text(encoding="utf-8"))["seconds"]


def seconds_at_512(system: System, size: int = _SIZE) -> float:
    """CPU seconds of one run after a small one to warm up: eager PyTorch, one thread."""
    torch.set_num_threads(1)
    net = build(system.network, **system.options).eval()
    picture = torch.rand(1, 3, size, size, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        net(picture[..., : size // 8, : size // 8])
        began = time.process_time()
        net(picture)
    return time.process_time() - began
