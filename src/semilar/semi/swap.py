"""Flares change places: found ones over clean scenes, known ones over photos.

A pseudo label says what the scene behind a photo may be. So it says what the flare may be, too, and
laid over a clean scene of the labels that flare makes a pair of the photos' own lens whose target
holds no mistake. The other way round, the known flare of a labeled pair over a photo makes a strong
view: the student has to take it away together with the photo's own.
"""

from collections.abc import Sequence
from typing import Annotated

import torch
from pydantic import AfterValidator
from torch import Tensor

from semilar.config import Above0, Part, Weight

_GAMMA = 2.2
_LAMP = 0.85  # encoded; brighter pixels are a lamp, which goes along with its flare


def _in_order(gain: tuple[float, float]) -> tuple[float, float]:
    if gain[0] > gain[1]:
        raise ValueError("the first is the smaller one")
    return gain


class FlareSwap(Part):
    """How much pictures with swapped flares count, and how strong found flares are made."""

    weight: Weight = 0.0
    """0 leaves them out."""
    gain: Annotated[tuple[Above0, Above0], AfterValidator(_in_order)] = (0.8, 1.8)
    """Factor on a found flare in linear light, log-uniform: a teacher finds rather too little."""

    def __call__(
        self,
        photo: Tensor,
        label: Tensor,
        flared: Tensor,
        clean: Tensor,
        seeds: Sequence[int],
    ) -> tuple[Tensor, Tensor]:
        """Pictures and their scenes, (2B, 3, H, W) encoded: first clean scenes, then photos.

        `photo` and its pseudo `label` are (B, 3, H, W); every photo takes the labeled pair
        (`flared`, `clean`) that its seed draws.
        """
        partners = [seed % len(clean) for seed in seeds]
        flared, clean = flared[partners], clean[partners]
        scene, picture = _lay_over(clean, clean, photo, label, self._gains(seeds).to(photo))
        own_scene, own_picture = _lay_over(label, photo, flared, clean, torch.ones(()).to(photo))
        return torch.cat([picture, own_picture]), torch.cat([scene, own_scene])

    def _gains(self, seeds: Sequence[int]) -> Tensor:
        draws = [torch.rand((), generator=torch.Generator().manual_seed(seed)) for seed in seeds]
        low, high = self.gain
        return (low * (high / low) ** torch.stack(draws)).view(-1, 1, 1, 1)


def _lay_over(
    scene: Tensor, below: Tensor, flared: Tensor, clean: Tensor, gain: Tensor
) -> tuple[Tensor, Tensor]:
    """`scene` and `below` with the lamps of `clean`, and over `below` the light of `flared`."""
    light = (flared**_GAMMA - clean**_GAMMA).clamp(min=0) * gain
    lamp = clean.amax(dim=1, keepdim=True) > _LAMP
    scene, below = (torch.where(lamp, clean, x) for x in (scene, below))
    return scene, (below**_GAMMA + light).clamp(0, 1) ** (1 / _GAMMA)
