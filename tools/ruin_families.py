"""Ruins at random: any wrong tones, colours, grain and places, instead of named ones.

Each draws its own damage out of a wide family, so that a scorer that learns from them learns what
photographs are, rather than a list. Arguments and results are those of `ruins`.
"""

import torch
from torch import Generator, Tensor
from torch.nn import functional


def any_tones(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """A curve through random heights at five places, rising or not."""
    heights = torch.rand(5, generator=generator)
    if torch.rand((), generator=generator) < 0.5:
        heights = heights.sort().values
    plain = torch.linspace(0, 1, 5)
    heights = torch.lerp(plain, heights, 0.6 + 0.4 * strength)
    place = photo * 4
    below = place.floor().clamp(0, 3).long()
    return torch.lerp(heights[below], heights[below + 1], place - below)


def any_colours(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """Every channel a random mixture of all three, the light as a whole kept."""
    mixture = torch.randn(3, 3, generator=generator)
    mixture = mixture - mixture.mean(1, keepdim=True) + 1 / 3  # grey stays grey
    mixture = torch.lerp(torch.eye(3), mixture, 0.4 + 0.6 * strength)
    return torch.einsum("dc,bchw->bdhw", mixture, photo)


def any_grain(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """Noise of a random grain, longer along one side or not, coloured or not."""
    channels = 3 if torch.rand((), generator=generator) < 0.5 else 1
    height, width = photo.shape[-2:]
    factors = 2 ** (3.5 * torch.rand(2, generator=generator))
    if torch.rand((), generator=generator) < 0.5:
        factors[1] = factors[0]
    size = [max(2, int(height / factors[0])), max(2, int(width / factors[1]))]
    coarse = torch.randn(1, channels, *size, generator=generator)
    mode = "bilinear" if torch.rand((), generator=generator) < 0.5 else "nearest"
    grain = functional.interpolate(coarse, size=(height, width), mode=mode)
    grain = grain / grain.std() * 0.05 * 5**strength
    return photo + grain * (photo if torch.rand((), generator=generator) < 0.25 else 1)


def any_places(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """Pixels fetched from elsewhere, by a random field of a random grain."""
    height, width = photo.shape[-2:]
    grain = 2 ** (5 * float(torch.rand((), generator=generator)))
    size = [max(2, int(side / grain)) for side in (height, width)]
    coarse = torch.randn(1, 2, *size, generator=generator)
    field = functional.interpolate(coarse, size=(height, width), mode="nearest")[0]
    field = (field * (3 * 6**strength)).round().long()
    rows = (torch.arange(height)[:, None] + field[0]) % height
    columns = (torch.arange(width)[None] + field[1]) % width
    return photo[:, :, rows, columns]
