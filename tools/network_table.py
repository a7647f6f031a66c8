"""Write `networks.json`, from which `semilar models` lists the networks without PyTorch.

    python tools/network_table.py

Run it after a network has been added or changed.
"""

import json
from pathlib import Path

from semilar.files import write_text
from semilar.net import cost

if __name__ == "__main__":
    target = Path(cost.__file__).with_name("networks.json")
    write_text(target, json.dumps(cost.network_table(), indent=1, ensure_ascii=False) + "\n")
    print(target)
