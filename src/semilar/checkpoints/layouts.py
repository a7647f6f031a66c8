"""Every public layout by the name that `--format` takes."""

from semilar.checkpoints.layout import Layout, Shapes
from semilar.checkpoints.tables.hinet import HINET
from semilar.checkpoints.tables.mfdnet import MFDNET
from semilar.checkpoints.tables.nafnet import NAFNET
from semilar.checkpoints.tables.raliformer import SEMI_LAR
from semilar.checkpoints.tables.restormer import RESTORMER
from semilar.checkpoints.tables.uformer import FLARE7K, FLARE7KPP, UFORMER, UFORMER_128
from semilar.checkpoints.tables.unet import FLARE7K_UNET, FLARE7KPP_UNET
from semilar.errors import ModelError

# Of layouts with equal marks, the first is taken when nobody says which.
LAYOUTS: dict[str, Layout] = {
    layout.name: layout
    for layout in (
        FLARE7K,
        FLARE7KPP,
        FLARE7K_UNET,
        FLARE7KPP_UNET,
        SEMI_LAR,
        UFORMER,
        UFORMER_128,
        HINET,
        RESTORMER,
        NAFNET,
        MFDNET,
    )
}

__all__ = ["LAYOUTS", "Layout", "choose"]


def choose(name: str, shapes: Shapes, file: str) -> Layout:
    """The layout called `name`; "auto" goes by the keys in `shapes`."""
    if name == "auto":
        for layout in LAYOUTS.values():
            if all(mark in shapes for mark in layout.marks):
                return layout
        raise ModelError(
            f"{file}: its {len(shapes)} keys ({_some(shapes)}) are of no layout that can be "
            f"imported; those are {', '.join(LAYOUTS)}."
        )
    if name not in LAYOUTS:
        raise ModelError(f"{name}: no such format; there are auto, {', '.join(LAYOUTS)}.")
    return LAYOUTS[name]


def _some(keys: Shapes) -> str:
    first = list(keys)[:3]
    return ", ".join(first) + (", ..." if len(keys) > len(first) else "")
