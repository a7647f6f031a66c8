"""Restormer, with layer normalisation of either kind."""

from typing import Any

from semilar.checkpoints.layout import KeyTable, Layout, Shapes, count

_RESTORMER_STAGES = ("encoder_level1", "encoder_level2", "encoder_level3", "latent")


def _restormer_options(shapes: Shapes) -> dict[str, Any]:
    return {
        "width": shapes["patch_embed.proj.weight"][0],
        "depths": tuple(count(shapes, rf"{name}\.(\d+)\.") for name in _RESTORMER_STAGES),
        "heads": tuple(shapes[f"{name}.0.attn.temperature"][0] for name in _RESTORMER_STAGES),
        "refinement": count(shapes, r"refinement\.(\d+)\."),
        "centred": "latent.0.norm1.body.bias" in shapes,
        "epsilon": 1e-5,
        "outputs": shapes["output.weight"][0],
    }


_RESTORMER_TABLE: KeyTable = (
    (r"^patch_embed\.proj\.", "first."),
    *((rf"^encoder_level{i}\.", f"encoder.{i - 1}.") for i in (1, 2, 3)),
    (r"^latent\.", "bottleneck."),
    *((rf"^decoder_level{i}\.", f"decoder.{i - 1}.") for i in (1, 2, 3)),
    (r"^refinement\.", "refine."),
    *((rf"^down{i}_{i + 1}\.body\.", f"down.{i - 1}.") for i in (1, 2, 3)),
    *((rf"^up{i + 1}_{i}\.body\.", f"up.{i - 1}.") for i in (1, 2, 3)),
    *((rf"^reduce_chan_level{i}\.", f"reduce.{i - 1}.") for i in (2, 3)),
    (r"^output\.", "last."),
    (r"\.norm1\.body\.weight$", ".attention.0.gain"),
    (r"\.norm1\.body\.bias$", ".attention.0.bias"),
    (r"\.norm2\.body\.weight$", ".feed.0.gain"),
    (r"\.norm2\.body\.bias$", ".feed.0.bias"),
    (r"\.attn\.temperature$", ".attention.1.temperature"),
    (r"\.attn\.qkv\.", ".attention.1.mix.0."),
    (r"\.attn\.qkv_dwconv\.", ".attention.1.mix.1."),
    (r"\.attn\.project_out\.", ".attention.1.project."),
    (r"\.ffn\.project_in\.", ".feed.1.mix.0."),
    (r"\.ffn\.dwconv\.", ".feed.1.mix.1."),
    (r"\.ffn\.project_out\.", ".feed.1.project."),
)

RESTORMER = Layout(
    name="restormer",
    title="Restormer",
    origin="https://github.com/swz30/Restormer",
    network="published-restormer",
    marks=(
        "patch_embed.proj.weight",
        "latent.0.attn.qkv_dwconv.weight",
        "refinement.0.attn.qkv.weight",
    ),
    options=_restormer_options,
    table=_RESTORMER_TABLE,
)
