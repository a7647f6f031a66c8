"""Labels that nobody has: the scenes behind simulated photos, for the oracle of a study."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from semilar import photo
from semilar.data import UnlabeledSample, resize
from semilar.errors import SemilarError


@dataclass(frozen=True)
class TrueScenes:
    """The scene behind a photo is the file of the same path below `folder`."""

    folder: Path

    def __call__(self, sample: UnlabeledSample) -> Tensor:
        """The scene in the photo's frame (3, H, W), encoded."""
        file = self.folder / sample.key.rpartition("#")[0]
        if not file.is_file():
            raise SemilarError(f"{file}: the scene behind a photo is not there.")
        pixels = photo.to_depth(photo.read(file).pixels, 8)
        height, width = sample.frame.shape[-2:]
        scene = resize(pixels, height, width).astype(np.float32) / 255
        return torch.from_numpy(scene).permute(2, 0, 1).contiguous()
