"""The nine stages of Uformer, which RaLiFormer took over."""

from semilar.checkpoints.layout import KeyTable, Shapes, count

STAGES = (
    *(f"encoderlayer_{i}" for i in range(4)),
    "conv",
    *(f"decoderlayer_{i}" for i in range(4)),
)
STAGE_TABLE: KeyTable = (
    (r"^encoderlayer_(\d)\.blocks\.", r"encoder.\1."),
    (r"^conv\.blocks\.", "bottleneck."),
    *((rf"^decoderlayer_{i}\.blocks\.", f"decoder.{3 - i}.") for i in range(4)),
    (r"^downsample_(\d)\.conv\.0\.|^dowsample_(\d)\.conv\.0\.", r"down.\1\2."),
    *((rf"^upsample_{i}\.deconv\.0\.", f"up.{3 - i}.") for i in range(4)),
    (r"^input_proj\.proj\.0\.", "first.0."),
    (r"^output_proj\.proj\.0\.", "last."),
)


def depths(shapes: Shapes) -> tuple[int, ...]:
    """How many blocks each stage has."""
    return tuple(count(shapes, rf"{name}\.blocks\.(\d+)\.") for name in STAGES)
