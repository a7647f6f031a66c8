"""Unlabeled photos: found, named by what they are, weakly and strongly augmented."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from semilar.data.augmentation import ColourChange, StrongAugmentation, Window
from semilar.data.photos import CACHE_MEGABYTES, PhotoCache


@dataclass(frozen=True)
class PhotoIdentity:
    """Who a photo is: its path inside the folder and a hash of its bytes, never its position."""

    path: str
    digest: str

    @property
    def key(self) -> str:
        """One text for both."""
        return f"{self.path}#{self.digest}"


def identify(paths: Sequence[Path], folder: Path) -> list[PhotoIdentity]:
    """The identities of files below `folder`."""
    return [PhotoIdentity(path.relative_to(folder).as_posix(), _digest(path)) for path in paths]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


@dataclass(frozen=True)
class UnlabeledSample:
    """One photo as a training step needs it.

    `frame` (3, H, W) is the photo at working size, encoded; `window` is the part that the student
    sees; `strong` (3, crop, crop) is what it sees; `colour` is the colour change in it.
    """

    photo: int
    key: str
    frame: Tensor
    window: Window
    strong: Tensor
    colour: ColourChange


class UnlabeledPhotos:
    """Samples of photos by index and seed; stateless.

    Args:
        paths: the files.
        identities: who they are, in the same order.
        side: short side of the frame.
        flip: mirror half of the windows.
        strong: what the student's input goes through.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        identities: Sequence[PhotoIdentity],
        *,
        side: int,
        flip: bool,
        strong: StrongAugmentation,
        megabytes: int = CACHE_MEGABYTES,
    ) -> None:
        self.identities = list(identities)
        self._photos = PhotoCache(paths, side=side, megabytes=megabytes)
        self._flip, self._strong = flip, strong

    def __len__(self) -> int:
        return len(self._photos)

    def make(self, index: int, *, seed: int, crop: int) -> UnlabeledSample:
        """The sample of photo `index` that `seed` draws."""
        pixels = self._photos(index)
        frame = torch.from_numpy(pixels.astype(np.float32) / 255).permute(2, 0, 1).contiguous()
        rng = np.random.default_rng(seed)
        height, width = frame.shape[-2:]
        window = Window.random(
            height, width, crop=min(crop, height, width), flip=self._flip, rng=rng
        )
        strong, colour = self._strong(window.take(frame), rng)
        return UnlabeledSample(index, self.identities[index].key, frame, window, strong, colour)
