"""Write `networks.json`, from which `semilar models` lists the networks without PyTorch.

python tools/network_table.py            after a network has been added or changed
python tools/network_table.py --systems  print the table of systems of docs/networks.md
"""

import argparse
import json
from pathlib import Path

from semilar import net
from semilar.experiment import SYSTEMS
from semilar.files import write_text
from semilar.net import cost, network_table


def system_table() -> str:
    """The table of systems as Markdown."""
    lines = [
        "| system | network | M parameters | published | GMACs at 512² | published |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for system in SYSTEMS:
        counted = cost(system.network, **system.options)
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
        target = Path(net.__file__).with_name("networks.json")
        write_text(target, json.dumps(network_table(), indent=1, ensure_ascii=False) + "\n")
        print(target)
