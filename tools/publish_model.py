"""Put trained weights into the package: safetensors, ONNX and a card, stored in half precision.

    python tools/publish_model.py runs/bundled-strong/best.safetensors --working-size 352 \
        --runs runs/bundled-strong --after semilar-t
    python tools/judge_model.py --strong PAIRS --mild PAIRS --test DATA/test --docs docs
    python tools/publish_model.py ...the same... --figures out/judge/figures.json

The card lists the photographs and panoramas that were learned from with author and licence
(`tools/bundled-data.csv`, `tools/bundled-rooms.csv`); time spent is read from the logs of the runs,
after those that the card of the model --after names, which the first run started from; the figures
are those that `tools/judge_model.py` wrote.
"""

import argparse
import csv
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from safetensors.torch import save

from semilar.files import write_text
from semilar.restore.export import export_network
from semilar.restore.models import find_model
from semilar.restore.torch_engine import load_network
from semilar.weights.card import Facts, ModelCard
from semilar.weights.metadata import sha256

ROOT = Path(__file__).resolve().parent.parent
BUNDLED = ROOT / "src" / "semilar" / "weights" / "bundled"
DATA = ROOT / "tools" / "bundled-data.csv"
ROOMS = ROOT / "tools" / "bundled-rooms.csv"
WATTS_PER_CORE = 10
LIMITS = (
    "Trained for hours on a processor, not days on a GPU. Streaks and smears go for the most part,"
    " very wide glow stays in part, thin rainbow stars leave dark traces, and what a clipped area"
    " hides is not brought back. docs/model.md has figures."
)


def photographs() -> tuple[dict[str, str], ...]:
    """What was learned from, with whom to thank: photographs, and the panoramas of rooms."""
    rows = csv.DictReader(DATA.open(encoding="utf-8"))
    used = [row for row in rows if row["use"] in ("train", "unlabeled")]
    used += csv.DictReader(ROOMS.open(encoding="utf-8"))
    return tuple({k: row[k] for k in ("file", "licence", "author", "link")} for row in used)


def training(run: Path) -> dict[str, Any]:
    """What one run cost, from its log; a resumed run starts to count anew each time."""
    seconds, latest, steps = 0.0, 0.0, 0
    for line in (run / "log.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        seconds += latest if entry["seconds"] < latest else 0.0
        latest, steps = entry["seconds"], entry["step"]
    hours = (seconds + latest) / 3600
    recipe = yaml.safe_load((run / "recipe.yaml").read_text(encoding="utf-8"))
    cores = recipe["machine"]["threads"] + recipe["machine"]["workers"]
    return {
        "recipe": recipe["name"],
        "run": run.name,
        "steps": steps,
        "hours": round(hours, 2),
        "processor_cores": cores,
        "kilowatt_hours": round(hours * cores * WATTS_PER_CORE / 1000, 3),
        "energy": f"estimated from {WATTS_PER_CORE} W a core, not measured",
    }


def join(earlier: Sequence[Facts], runs: Sequence[Facts]) -> tuple[Facts, ...]:
    """All runs in order; one that is told of again, longer by now, replaces what was told."""
    names = {run["run"] for run in runs}
    return (*(one for one in earlier if one.get("run", one["recipe"]) not in names), *runs)


def main() -> int:
    """Write NAME.safetensors, NAME.onnx and NAME.json."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("weights", type=Path)
    parser.add_argument("--name", default="semilar-t")
    parser.add_argument("--working-size", type=int, required=True)
    parser.add_argument("--views", type=int, default=1, help="orientations to average, 1 to 8")
    parser.add_argument("--runs", type=Path, nargs="*", default=[], help="run folders, in order")
    parser.add_argument("--after", help="the bundled model that the first run started from")
    parser.add_argument("--figures", type=Path, help="what tools/judge_model.py wrote")
    parser.add_argument("--out", type=Path, default=BUNDLED)
    options = parser.parse_args()
    files = find_model(options.weights)
    net, own = load_network(files).half().float(), files.card
    after = ModelCard()
    if options.after:
        before = options.out / f"{options.after}.json"
        if not before.is_file():
            parser.error(f"{before}: there is no such card.")
        after = ModelCard.read(before)
    card = replace(
        own,
        name=options.name,
        purpose="takes lens flare out of night photographs",
        licence="Apache-2.0",
        parameters=sum(tensor.numel() for tensor in net.state_dict().values()),
        working_size=options.working_size,
        views=options.views,
        data="simulated flares over the photographs below; nothing else",
        training=join(after.training, [training(run) for run in options.runs]),
        figures=json.loads(options.figures.read_text("utf-8")) if options.figures else {},
        limits=LIMITS,
        photographs=photographs(),
        content_sha256="",
        more={},
    )
    written = [options.out / f"{options.name}{suffix}" for suffix in (".onnx", ".safetensors")]
    half = {name: tensor.half() for name, tensor in net.state_dict().items()}
    card.write(written[1], save(half))
    difference = export_network(net, written[0], card, half=True, force=True)
    card = replace(card, sha256={file.name: sha256(file) for file in written})
    write_text(options.out / f"{options.name}.json", card.to_json())
    print(f"ONNX and torch differ by {255 * difference:.4f} of 255 levels at most.")
    print(*(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB" for file in written), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
