"""Write `networks.json`, from which `semilar models` lists the networks without PyTorch.

python tools/network_table.py            after a network has been added or changed
python tools/network_table.py --systems  print the table of systems of docs/networks.md
"""

import argparse
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semilar.files import write_text
from semilar.net import cost


@dataclass(frozen=True)
class System:
    """A system of the paper's comparison: its network here, and what is known of the published one.

    `parameters` in millions and `gmacs` at 512² are those of the published code or paper.
    """

    title: str
    network: str
    parameters: float | None = None
    gmacs: float | None = None
    options: dict[str, Any] = field(default_factory=dict)


_MLP = {"feed": "mlp", "modulated": False}
SYSTEMS = (
    System("Wu et al., Zhou et al.", "wu-unet", 31.03),
    System("Flare7K, Flare7K++: Uformer", "flare7k-uformer", 20.47, 161.0, _MLP),
    System("Flare7K, Flare7K++: U-Net", "flare7k-unet", 34.53, 261.5),
    System("Semi-LAR: the authors' RaLiFormer", "semi-lar-raliformer", 28.10, 52.45),
    System("U-Net", "unet", 31.03),
    System("Uformer with modulators", "uformer", 20.75),
    System("HINet", "hinet", 88.67),
    System("Restormer", "restormer", 26.13),
    System("NAFNet", "nafnet", 29.16),
    System("MFDNet", "mfdnet", 6.35),
    System("SFSNiD", "sfsnid"),
    System("SGSFT", "sgsft"),
    System("DeflareMamba", "deflaremamba"),
)


def system_table() -> str:
    """The table of systems as Markdown."""
    lines = [
        "| system | network | M parameters | published | GMACs at 512² | published |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for system in SYSTEMS:
        counted = cost.cost(system.network, **system.options)
        known = [f"{x:.2f}" if x is not None else "" for x in (system.parameters, system.gmacs)]
        lines.append(
            f"| {system.title} | `{system.network}` | {counted.parameters / 1e6:.2f} | {known[0]}"
            f" | {counted.macs / 1e9:.2f} | {known[1]} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Tables of what networks cost.")
    parser.add_argument("--systems", action="store_true", help="print the table of systems")
    if parser.parse_args().systems:
        print(system_table())
    else:
        target = Path(cost.__file__).with_name("networks.json")
        write_text(target, json.dumps(cost.network_table(), indent=1, ensure_ascii=False) + "\n")
        print(target)
