"""MFDNet, which has a NAFNet in its low band."""

from typing import Any

from semilar.checkpoints.layout import KeyTable, Layout, Shapes
from semilar.checkpoints.tables.nafnet import NAFNET_TABLE


def _mfdnet_options(shapes: Shapes) -> dict[str, Any]:
    prelu = "trans_high.spp_img.fusion.activation.weight" in shapes
    return {
        "channels": shapes["backbone.patch_embed.proj.weight"][0],
        "low_width": shapes["backbone.trans_low_1.intro.weight"][0],
        "high_width": shapes["trans_high.model.0.weight"][0],
        "activation": "prelu" if prelu else "leaky",
        "residual": False,
    }


_MFDNET_TABLE: KeyTable = (
    *(
        (
            rf"^backbone\.{name}_{i}\.0\.",
            f"low.{ours}.layers.{i - 1}.",
        )
        for name, ours in (("encoder", "before"), ("refinement", "after"))
        for i in (1, 2, 3)
    ),
    (r"^backbone\.latent_1\.0\.", "low.beside."),
    (r"^backbone\.patch_embed\.proj\.", "low.first."),
    (r"^backbone\.coefficient_1_0$", "low.shares"),
    (r"^backbone\.output\.", "low.last."),
    *(
        pair
        for suffix, ours in (("", "before"), ("_2", "after"))
        for pair in (
            (rf"^backbone\.layer_fussion{suffix}\.temperature$", f"low.{ours}.temperature"),
            (rf"^backbone\.layer_fussion{suffix}\.qkv\.", f"low.{ours}.mix.0."),
            (rf"^backbone\.layer_fussion{suffix}\.qkv_dwconv\.", f"low.{ours}.mix.1."),
            (rf"^backbone\.layer_fussion{suffix}\.project_out\.", f"low.{ours}.project."),
            (rf"^backbone\.conv_fuss{suffix}\.", f"low.{ours}.fuse."),
        )
    ),
    (r"\.norm1\.body\.weight$", ".norm_mix.gain"),
    (r"\.norm1\.body\.bias$", ".norm_mix.bias"),
    (r"\.norm2\.body\.weight$", ".norm_feed.gain"),
    (r"\.norm2\.body\.bias$", ".norm_feed.bias"),
    (r"\.attn\.row_att\.", ".rows."),
    (r"\.attn\.col_att\.", ".columns."),
    *((rf"\.(rows|columns)\.q{i}\.", rf".\1.mix.{i - 1}.") for i in (1, 2, 3)),
    (r"\.(rows|columns)\.fac$", r".\1.temperature"),
    (r"\.(rows|columns)\.fin\.", r".\1.project."),
    (r"\.ffn\.project_in\.", ".feed.mix.0."),
    (r"\.ffn\.dwconv\.", ".feed.mix.1."),
    (r"\.ffn\.project_out\.", ".feed.project."),
    (r"^backbone\.trans_low_1\.", "low.deep."),
    *NAFNET_TABLE,
    (r"^trans_high\.model\.(\d)\.block\.", r"high.mask.\1.body."),
    (r"^trans_high\.model\.", "high.mask."),
    (r"^trans_high\.trans_mask_block_1\.", "high.repaint_middle."),
    (r"^trans_high\.trans_mask_block_2\.", "high.repaint_fine."),
    *(
        pair
        for i, place in ((1, "middle"), (2, "fine.0"), (3, "fine.1"))
        for pair in (
            (rf"^trans_high\.block{i}_1\.conv2d\.", f"high.{place}.first.conv."),
            (rf"^trans_high\.block{i}_2\.conv2d\.", f"high.{place}.second.conv."),
            (rf"^trans_high\.aggreation{i}_rgb\.attention\.linear1\.", f"high.{place}.squeeze."),
            (rf"^trans_high\.aggreation{i}_rgb\.attention\.linear2\.", f"high.{place}.excite."),
            (rf"^trans_high\.aggreation{i}_rgb\.conv\.conv2d\.", f"high.{place}.mix.conv."),
            (rf"^trans_high\.aggreation{i}_rgb\.conv\.", f"high.{place}.mix."),
        )
    ),
    (r"^trans_high\.spp_img\.conv\.(\d)\.conv2d\.", r"high.fine.2.levels.\1.conv."),
    (r"^trans_high\.spp_img\.conv\.(\d)\.", r"high.fine.2.levels.\1."),
    (r"^trans_high\.spp_img\.fusion\.conv2d\.", "high.fine.2.mix.conv."),
    (r"^trans_high\.spp_img\.fusion\.", "high.fine.2.mix."),
    (r"^trans_high\.block4_1\.", "high.last."),
)

MFDNET = Layout(
    name="mfdnet",
    title="MFDNet",
    origin="https://github.com/Jiang-maomao/flare-removal",
    network="published-mfdnet",
    marks=("backbone.layer_fussion.qkv.weight", "trans_high.trans_mask_block_1.0.weight"),
    options=_mfdnet_options,
    table=_MFDNET_TABLE,
)
