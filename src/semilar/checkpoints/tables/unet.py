"""The U-Net of the Flare7K benchmark."""

from dataclasses import replace
from typing import Any

from semilar.checkpoints.layout import KeyTable, Layout, Shapes, count


def _unet_options(shapes: Shapes) -> dict[str, Any]:
    stages = count(shapes, r"Conv(\d)\.")
    return {
        "widths": tuple(shapes[f"Conv{i}.conv.0.weight"][0] for i in range(1, stages + 1)),
        "outputs": shapes["Conv_1x1.weight"][0],
    }


_UNET_TABLE: KeyTable = (
    *((rf"^Conv{i}\.conv\.", f"encoder.{i - 1}.") for i in range(1, 6)),
    *((rf"^Up{i}\.up\.", f"enlarge.{i - 2}.") for i in range(2, 6)),
    *((rf"^Up_conv{i}\.conv\.", f"decoder.{i - 2}.") for i in range(2, 6)),
    (r"^Conv_1x1\.", "last."),
)

FLARE7K_UNET = Layout(
    name="flare7k-unet",
    title="U-Net of Flare7K",
    origin="https://github.com/ykdai/Flare7K",
    network="flare7k-unet",
    marks=("Conv1.conv.0.weight", "Up_conv2.conv.0.weight", "Conv_1x1.weight"),
    options=_unet_options,
    table=_UNET_TABLE,
    outputs=(3, 6),
    light_source="flare7k",
)
FLARE7KPP_UNET = replace(
    FLARE7K_UNET, name="flare7kpp-unet", title="U-Net of Flare7K++", light_source=""
)
