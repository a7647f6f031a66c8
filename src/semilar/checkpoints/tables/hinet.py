"""HINet."""

from typing import Any

from semilar.checkpoints.layout import KeyTable, Layout, Shapes, count


def _hinet_options(shapes: Shapes) -> dict[str, Any]:
    depth = count(shapes, r"down_path_1\.(\d+)\.")
    return {
        "width": shapes["conv_01.weight"][0],
        "depth": depth,
        # Not every scale has it: for GoPro and REDS the authors normalise the two coarsest only.
        "normalised": tuple(i for i in range(depth) if f"down_path_1.{i}.norm.weight" in shapes),
        "outputs": shapes["last.weight"][0],
    }


_HINET_TABLE: KeyTable = (
    (r"^conv_01\.", "first_in."),
    (r"^conv_02\.", "second_in."),
    *(
        pair
        for number, subnet in ((1, "first"), (2, "second"))
        for pair in (
            (rf"^down_path_{number}\.(\d+)\.downsample\.", rf"{subnet}.down.\1."),
            (rf"^down_path_{number}\.(\d+)\.csff_enc\.", rf"{subnet}.fuse_encoded.\1."),
            (rf"^down_path_{number}\.(\d+)\.csff_dec\.", rf"{subnet}.fuse_decoded.\1."),
            (rf"^down_path_{number}\.(\d+)\.", rf"{subnet}.encoder.\1."),
            (rf"^up_path_{number}\.(\d+)\.up\.", rf"{subnet}.up.\1."),
            (rf"^up_path_{number}\.(\d+)\.conv_block\.", rf"{subnet}.decoder.\1."),
            (rf"^skip_conv_{number}\.(\d+)\.", rf"{subnet}.skip.\1."),
        )
    ),
    (r"\.identity\.", ".shortcut."),
    (r"\.conv_1\.", ".body.0."),
    (r"(coder\.\d+)\.norm\.", r"\1.body.1.norm."),
    (r"\.conv_2\.", ".body.3."),
    (r"^sam12\.conv1\.", "attention.keep."),
    (r"^sam12\.conv2\.", "attention.draw."),
    (r"^sam12\.conv3\.", "attention.attend."),
    (r"^cat12\.", "merge."),
)

HINET = Layout(
    name="hinet",
    title="HINet",
    origin="https://github.com/megvii-model/HINet",
    network="published-hinet",
    marks=("conv_01.weight", "sam12.conv1.weight"),
    options=_hinet_options,
    table=_HINET_TABLE,
)
