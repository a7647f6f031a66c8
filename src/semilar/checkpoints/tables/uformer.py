"""Uformer: that of Flare7K and Flare7K++, which ends in a sigmoid, and its own authors'."""

from dataclasses import replace
from typing import Any

from semilar.checkpoints.layout import KeyTable, Layout, Shapes
from semilar.checkpoints.tables.stages import STAGE_TABLE, STAGES, depths


def _uformer_options(shapes: Shapes) -> dict[str, Any]:
    tables = [shapes[f"{s}.blocks.0.attn.relative_position_bias_table"] for s in STAGES]
    width = shapes["input_proj.proj.0.weight"][0]
    leff = "encoderlayer_0.blocks.0.mlp.linear1.0.weight"
    hidden = shapes.get(leff) or shapes["encoderlayer_0.blocks.0.mlp.fc1.weight"]
    return {
        "width": width,
        "depths": depths(shapes),
        "heads": tuple(table[1] for table in tables),
        "side": (round(tables[0][0] ** 0.5) + 1) // 2,
        "expansion": hidden[0] // width,
        "modulated": "decoderlayer_0.blocks.0.modulator.weight" in shapes,
        "feed": "leff" if leff in shapes else "mlp",
        "epsilon": 1e-5,
        "outputs": shapes["output_proj.proj.0.weight"][0],
    }


_UFORMER_TABLE: KeyTable = (
    *STAGE_TABLE,
    (r"\.norm1\.weight$", ".attention.0.gain"),
    (r"\.norm1\.bias$", ".attention.0.bias"),
    (r"\.norm2\.weight$", ".feed.0.gain"),
    (r"\.norm2\.bias$", ".feed.0.bias"),
    (r"\.attn\.relative_position_bias_table$", ".attention.1.offset_bias"),
    (r"\.modulator\.weight$", ".attention.1.modulator"),
    (r"\.attn\.qkv\.to_q\.(\w+)$", r".attention.1.mix.\1#0"),
    (r"\.attn\.qkv\.to_kv\.(\w+)$", r".attention.1.mix.\1#1"),
    (r"\.attn\.proj\.", ".attention.1.project."),
    (r"\.mlp\.fc1\.", ".feed.1.0."),
    (r"\.mlp\.fc2\.", ".feed.1.2."),
    (r"\.mlp\.linear1\.0\.", ".feed.1.0."),
    (r"\.mlp\.dwconv\.0\.", ".feed.1.2."),
    (r"\.mlp\.linear2\.0\.", ".feed.1.4."),
)

_UNUSED = r"\.relative_position_index$|\.attn_mask$"
FLARE7K = Layout(
    name="flare7k",
    title="Uformer of Flare7K",
    origin="https://github.com/ykdai/Flare7K",
    network="flare7k-uformer",
    marks=("dowsample_0.conv.0.weight", "encoderlayer_0.blocks.0.mlp.fc1.weight"),
    options=_uformer_options,
    table=_UFORMER_TABLE,
    unused=_UNUSED,
    outputs=(3, 6),
    light_source="flare7k",
)
FLARE7KPP = replace(FLARE7K, name="flare7kpp", title="Uformer of Flare7K++", light_source="")
UFORMER = Layout(
    name="uformer",
    title="Uformer, built for pictures of 256 pixels or more",
    origin="https://github.com/ZhendongWang6/Uformer",
    network="published-uformer",
    marks=("dowsample_0.conv.0.weight", "encoderlayer_0.blocks.0.mlp.linear1.0.weight"),
    options=_uformer_options,
    table=_UFORMER_TABLE,
    unused=_UNUSED,
)
# Built for 128 pixels, its bottleneck is a single window, which the authors' code does not shift.
UFORMER_128 = replace(
    UFORMER,
    name="uformer-128",
    title="Uformer, built for pictures of 128 pixels",
    options=lambda shapes: {**_uformer_options(shapes), "shift_bottleneck": False},
)
