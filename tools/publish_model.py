"""Put trained weights into the package: safetensors, ONNX and a card, stored in half precision.

    python tools/publish_model.py runs/bundled-strong/best.safetensors --working-size 352 \
        --runs runs/bundled-strong --after semilar-t
    python tools/judge_model.py --strong PAIRS --mild PAIRS --test DATA/test --docs docs
    python tools/publish_model.py ...the same... --figures out/judge/figures.json

The card lists the photographs that were learned from with author and licence
(`tools/bundled-data.csv`); time spent is read from the logs of the runs, after those that the card
of the model --after names, which the first run started from; the figures are those that
`tools/judge_model.py` wrote.
"""

import argparse
import csv
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
import yaml
from onnx import TensorProto, helper, numpy_helper
from safetensors import safe_open
from safetensors.torch import save

from semilar.files import atomic_path, write_bytes, write_text
from semilar.net import build, identity
from semilar.net.onnx_export import export

ROOT = Path(__file__).resolve().parent.parent
BUNDLED = ROOT / "src" / "semilar" / "weights" / "bundled"
DATA = ROOT / "tools" / "bundled-data.csv"
WATTS_PER_CORE = 10
LIMITS = (
    "Trained for hours on a processor, not days on a GPU. Streaks and smears go for the most part,"
    " very wide glow stays in part, thin rainbow stars leave dark traces, and what a clipped area"
    " hides is not brought back. docs/model.md has figures."
)


def load(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """The tensors of a training run and the network they belong to."""
    with safe_open(path, framework="pt") as file:
        net = json.loads(file.metadata()["semilar"])["net"]
        spec = identity(net["name"], **net.get("options", {}))
        return {name: file.get_tensor(name) for name in file.keys()}, spec  # noqa: SIM118


def store_half(path: Path) -> None:
    """Keep an ONNX file's weights as float16; engines turn them back once, when they load it."""
    model = onnx.load(path)
    casts = []
    for tensor in list(model.graph.initializer):
        if tensor.data_type != TensorProto.FLOAT or np.prod(tensor.dims) < 64:
            continue
        half = numpy_helper.from_array(
            numpy_helper.to_array(tensor).astype(np.float16), f"{tensor.name}.half"
        )
        casts.append(helper.make_node("Cast", [half.name], [tensor.name], to=TensorProto.FLOAT))
        model.graph.initializer.remove(tensor)
        model.graph.initializer.append(half)
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    with atomic_path(path) as temporary:
        onnx.save(model, temporary)


def photographs() -> list[dict[str, str]]:
    """What was learned from, with whom to thank."""
    rows = csv.DictReader(DATA.open(encoding="utf-8"))
    keep = ("file", "licence", "author", "link")
    return [{k: row[k] for k in keep} for row in rows if row["use"] in ("train", "unlabeled")]


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
        "steps": steps,
        "hours": round(hours, 2),
        "processor_cores": cores,
        "kilowatt_hours": round(hours * cores * WATTS_PER_CORE / 1000, 3),
        "energy": f"estimated from {WATTS_PER_CORE} W a core, not measured",
    }


def card_of(path: Path) -> list[dict[str, Any]]:
    """The runs that a card tells of."""
    return json.loads(path.read_text(encoding="utf-8"))["training"]


def join(earlier: list[dict[str, Any]], runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All runs in order; one that is told of again, longer by now, replaces what was told."""
    names = {run["recipe"] for run in runs}
    return [run for run in earlier if run["recipe"] not in names] + runs


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
    earlier = card_of(options.out / f"{options.after}.json") if options.after else []
    state, spec = load(options.weights)
    half = {name: tensor.half() for name, tensor in state.items()}
    net = build(spec["name"], **spec.get("options", {}))
    net.load_state_dict({name: tensor.float() for name, tensor in half.items()})
    target = options.out / options.name
    content = save(half, metadata={"semilar": json.dumps({"net": spec})})
    write_bytes(target.with_suffix(".safetensors"), content)
    export(net, target.with_suffix(".onnx"))
    store_half(target.with_suffix(".onnx"))
    files = [target.with_suffix(suffix) for suffix in (".onnx", ".safetensors")]
    card = {
        "name": options.name,
        "purpose": "takes lens flare out of night photographs",
        "licence": "Apache-2.0",
        "sha256": {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files},
        "net": spec,
        "parameters": sum(tensor.numel() for tensor in state.values()),
        "working_size": options.working_size,
        "views": options.views,
        "data": "simulated flares over the photographs below; nothing else",
        "training": join(earlier, [training(run) for run in options.runs]),
        "figures": json.loads(options.figures.read_text("utf-8")) if options.figures else {},
        "limits": LIMITS,
        "photographs": photographs(),
    }
    write_text(target.with_suffix(".json"), json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    print(*(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB" for file in files), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
