"""A training run that takes seconds: tiny network, tiny pictures, seeded random features."""

from pathlib import Path
from typing import Any

import torch
from PIL import Image
from torch import Tensor, nn

from semilar.flare.scene import night_scene
from semilar.train.recipe import Recipe
from semilar.train.recipe_file import merged

NET = {
    "name": "raliformer-t",
    "options": {
        "widths": (8, 12),
        "depths": (1, 1, 1),
        "blocks": ("conv", "psc"),
        "stem": 2,
        "head_width": 4,
    },
}


def write_scenes(
    folder: Path, count: int, *, first: int = 0, size: tuple[int, int] = (48, 64)
) -> Path:
    """Night scenes of the simulator as photographs on disk; every other one is a JPEG."""
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(first, first + count):
        suffix = "jpg" if i % 2 else "png"
        Image.fromarray(night_scene(i, size)).save(folder / f"scene-{i:02d}.{suffix}")
    return folder


def tiny_values(root: Path, run: str = "run") -> dict[str, Any]:
    """A semi-supervised recipe with everything switched on, as plain values."""
    backgrounds, photos = root / "backgrounds", root / "photos"
    if not backgrounds.exists():
        write_scenes(backgrounds, 5)
        write_scenes(photos, 6, first=20)
    return {
        "name": "tiny",
        "run": str(root / run),
        "seed": 3,
        "net": NET,
        "labeled": {
            "kind": "simulated",
            "backgrounds": {"folder": str(backgrounds)},
            "samples": 10,
            "side": 48,
        },
        "stages": [
            {"epochs": 4, "crop": 32, "batch": 2, "accumulate": 2, "synth": {"preset": "strong"}}
        ],
        "loss": {"pixel": 1.0, "perceptual": 0.1, "fft": 0.1, "features": {"layers": ["relu3_3"]}},
        "optimizer": {"lr": 2e-3, "warmup": 2, "clip": 1.0},
        "mixup": {"start_epoch": 1, "probability": 0.7},
        "semi": {
            "photos": {"folder": str(photos)},
            "batch": 2,
            "side": 40,
            "start_epoch": 0.5,
            "eta": 0.5,
            "eta_epochs": 1,
            "contrastive": {"weight": 0.1, "layer": "relu3_3", "patches": 8},
            "repository": {"fog": 1.0, "black": 0.0},
        },
        "checkpoint_every": 1000,
        "log_every": 1,
        "tensorboard": False,
        "machine": {"accelerator": "cpu", "threads": 1, "workers": 0, "channels_last": False},
    }


def tiny_recipe(root: Path, run: str = "run", changes: dict[str, Any] | None = None) -> Recipe:
    """The same, checked, with some changes."""
    return Recipe.model_validate(merged(tiny_values(root, run), changes or {}))


class TinyFeatures(nn.Module):
    """Features of a seeded random convolution, under the name of a layer of VGG16."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, stride=2, padding=1, bias=False)
        weights = torch.randn(self.conv.weight.shape, generator=torch.Generator().manual_seed(0))
        self.conv.weight.data.copy_(0.3 * weights)
        self.requires_grad_(False)

    def forward(self, picture: Tensor) -> dict[str, Tensor]:
        return {"relu3_3": self.conv(picture).relu()}


class ContrastScore:
    """A scorer that likes contrast: quick, deterministic, and of two minds about candidates."""

    name, scale, delta = "contrast", (0.0, 1.0), 0.0

    def __call__(self, batch: Tensor) -> Tensor:
        return batch.flatten(1).double().std(dim=1)
