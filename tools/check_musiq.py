"""Hold our MUSIQ against pyiqa's: the same random weights, ten pictures of different shapes.

    pip download --no-deps pyiqa==0.1.16 && unzip -q pyiqa-0.1.16-py3-none-any.whl -d pyiqa
    python tools/check_musiq.py pyiqa

pyiqa is not free for every use and is no dependency of this project; it is only looked at from
outside here. Just its MUSIQ is imported: packages that pyiqa wants for its other metrics
(torchvision, timm, ...) are replaced by blanks where they are missing, as MUSIQ does not call them.
Prints a Markdown table; status 1 if any two scores differ by more than 1e-4.
"""

import importlib
import importlib.abc
import importlib.machinery
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

import torch
from torch import Tensor, nn
from torch.nn import functional

from semilar.quality.scorers.musiq import Musiq

TOLERANCE = 1e-4
UNUSED = ("cv2", "huggingface_hub", "timm", "torchvision", "tqdm")
SHAPES = [
    (512, 512),
    (640, 861),
    (861, 640),
    (384, 384),
    (224, 300),
    (100, 700),
    (33, 31),
    (32, 32),
    (415, 97),
    (768, 1151),
]


class _Blanks(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for the packages of `UNUSED` that are not installed."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname.partition(".")[0] not in UNUSED:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        return MagicMock(name=spec.name, __path__=[], __spec__=spec)

    def exec_module(self, module: ModuleType) -> None:
        pass


def load_theirs(folder: Path) -> nn.Module:
    """pyiqa's MUSIQ without weights, from the unpacked wheel in `folder`."""
    for name in ("pyiqa", "pyiqa.archs", "pyiqa.utils", "pyiqa.data"):
        # An empty package instead of pyiqa's own, which would import all its metrics.
        package = ModuleType(name)
        package.__path__ = [str(folder.joinpath(*name.split(".")))]
        sys.modules[name] = package
    sys.meta_path.append(_Blanks())
    return importlib.import_module("pyiqa.archs.musiq_arch").MUSIQ(pretrained=False)


def random_weights(net: nn.Module, seed: int) -> dict[str, Tensor]:
    """A state dict in which no tensor is trivial, so that a misplaced one shows in the score."""
    generator = torch.Generator().manual_seed(seed)
    weights = {}
    for name, tensor in net.state_dict().items():
        drawn = torch.randn(tensor.shape, generator=generator)
        if tensor.ndim >= 2:
            fan_in = tensor[0].numel() if name.endswith("weight") else 1
            weights[name] = drawn / fan_in**0.5
        else:
            is_gain = name.endswith("weight")
            weights[name] = is_gain + 0.2 * drawn
    return weights


def picture(shape: tuple[int, int], seed: int) -> Tensor:
    """A picture (1, 3, H, W), encoded, with something at every scale."""
    generator = torch.Generator().manual_seed(seed)
    layers = [
        functional.interpolate(
            torch.rand(1, 3, n, n, generator=generator), size=shape, mode="bilinear"
        )
        for n in (2, 5, 17, 80)
    ]
    return (torch.stack(layers).mean(0) * 1.6 - 0.3).clamp(0, 1)


@torch.inference_mode()
def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    theirs, ours = load_theirs(Path(sys.argv[1])).eval(), Musiq().eval()
    weights = random_weights(ours, seed=1)
    theirs.load_state_dict(weights, strict=True)
    ours.load_state_dict(weights, strict=True)
    print("| height x width | pyiqa | semilar | difference |\n| --- | --- | --- | --- |")
    worst, scores = 0.0, []
    for seed, shape in enumerate(SHAPES):
        x = picture(shape, seed)
        a, b = float(theirs(x)), float(ours(x))
        worst, scores = max(worst, abs(a - b)), [*scores, a]
        print(f"| {shape[0]} x {shape[1]} | {a:.6f} | {b:.6f} | {abs(a - b):.1e} |")
    spread = max(scores) - min(scores)
    print(
        f"\nLargest difference {worst:.1e} (bar {TOLERANCE:.0e}), scores spread over {spread:.2f}."
    )
    return int(worst > TOLERANCE or spread < 100 * TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
