"""RaLiFormer as its authors (Semi-LAR) save it."""

from typing import Any

from semilar.checkpoints.layout import KeyTable, Layout, Shapes
from semilar.checkpoints.tables.stages import STAGE_TABLE, depths


def _raliformer_options(shapes: Shapes) -> dict[str, Any]:
    width = shapes["input_proj.proj.0.weight"][0]
    return {
        "width": width,
        "depths": depths(shapes),
        # The number of heads leaves no trace in the shapes; the authors' are these.
        "heads": (1, 2, 4, 8, 16, 16, 8, 4, 2),
        "expansion": shapes["encoderlayer_0.blocks.0.mlp.linear1.0.weight"][0] // width,
        "stem": 2 if "final_up.0.weight" in shapes else 1,
        "outputs": shapes["output_proj.proj.0.weight"][0],
    }


_RALIFORMER_TABLE: KeyTable = (
    *STAGE_TABLE,
    (r"\.norm1\.weight$", ".norm_mix.gain"),
    (r"\.norm1\.bias$", ".norm_mix.bias"),
    (r"\.norm2\.weight$", ".norm_feed.gain"),
    (r"\.norm2\.bias$", ".norm_feed.bias"),
    (
        r"^(.*)\.rela\.qkv\.(\w+)$",
        r"\1.attention.query.\2|\1.attention.key.\2|\1.attention.value.\2",
    ),
    (r"\.rela\.proj\.", ".attention.project."),
    (r"\.rela\.dwc\.conv\.", ".attention.local."),
    (r"\.cab\.proj1\.", ".channel.body.0."),
    (r"\.cab\.dwconv\.conv\.", ".channel.body.1."),
    (r"\.cab\.ca\.1\.", ".channel.body.3.squeeze."),
    (r"\.cab\.ca\.3\.", ".channel.body.3.excite."),
    (r"\.cab\.proj2\.", ".channel.body.4."),
    (r"\.mlp\.linear1\.0\.", ".feed.expand.0."),
    (r"\.mlp\.dwconv\.", ".feed.local."),
    (r"\.mlp\.conv\.", ".feed.gated."),
    (r"\.mlp\.sca\.1\.", ".feed.weigh."),
    (r"\.mlp\.linear2\.0\.", ".feed.project."),
    (r"^final_up\.0\.", "enlarge.0."),
)

SEMI_LAR = Layout(
    name="semi-lar",
    title="RaLiFormer of Semi-LAR",
    origin="https://github.com/copr-sans/Semi-LAR",
    network="semi-lar-raliformer",
    marks=("downsample_0.conv.0.weight", "encoderlayer_0.blocks.0.rela.qkv.weight"),
    options=_raliformer_options,
    table=_RALIFORMER_TABLE,
    outputs=(6,),
)
