"""Ruined photographs: damage of many kinds that no scorer may prefer to the photograph itself.

Each kind takes a photograph (1, 3, H, W), encoded, a strength from 0 (plain to see) to 1 (strong)
and a generator, and gives the ruin, encoded. `TAUGHT` may be shown to a learning scorer; `UNSEEN`
are kept for checking it: who knows only the ruins that were shown can be fooled by the next one.
"""

import io
import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
from PIL import Image
from restorations import gaussian, round_to_bytes
from ruin_families import any_colours, any_grain, any_places, any_tones
from torch import Generator, Tensor
from torch.nn import functional

Ruin = Callable[[Tensor, float, Generator], Tensor]


def ruins(photo: Tensor, kinds: dict[str, Ruin], number: int) -> Iterator[tuple[str, Tensor]]:
    """One ruin of every kind of photograph `number` (1, 3, H, W), encoded: kinds and pictures.

    Strengths go round, from kind to kind and from photograph to photograph: 0, a half, 1.
    """
    generator = Generator().manual_seed(number)
    for place, (kind, ruin) in enumerate(kinds.items()):
        yield kind, ruined(photo, ruin, (number + place) % 3 / 2, generator)


def ruined(photo: Tensor, ruin: Ruin, strength: float, generator: Generator) -> Tensor:
    """A photograph (1, 3, H, W) ruined, both encoded, in the steps of 8 bits."""
    return round_to_bytes(ruin(photo, strength, generator).clamp(0, 1))


def _between(low: float, high: float, strength: float) -> float:
    """From `low` at strength 0 to `high` at 1, by equal factors."""
    return low * (high / low) ** strength


def _noise_like(photo: Tensor, generator: Generator) -> Tensor:
    return torch.randn(photo.shape, generator=generator)


def _luma(photo: Tensor) -> Tensor:
    weights = torch.tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)
    return (photo * weights).sum(1, keepdim=True)


def _whole_number(low: int, high: int, generator: Generator) -> int:
    return int(torch.randint(low, high, (), generator=generator))


# Grain


def _noise(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return photo + _between(0.05, 0.3, strength) * _noise_like(photo, generator)


def _grey_noise(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return photo + _between(0.05, 0.3, strength) * _noise_like(photo[:, :1], generator)


def _salt_and_pepper(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    hit = torch.rand(photo[:, :1].shape, generator=generator) < _between(0.005, 0.2, strength)
    white = (torch.rand(photo[:, :1].shape, generator=generator) < 0.5).float()
    return torch.where(hit, white, photo)


def _speckle(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return photo * (1 + _between(0.25, 0.8, strength) * _noise_like(photo, generator))


def _shot_noise(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    photons = _between(150, 8, strength)
    return (torch.poisson(photo.square() * photons, generator) / photons).sqrt()


def _colour_blotches(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    coarse = torch.randn(1, 3, photo.shape[-2] // 8, photo.shape[-1] // 8, generator=generator)
    blotches = functional.interpolate(coarse, size=photo.shape[-2:], mode="bicubic")
    return photo + _between(0.06, 0.3, strength) * (blotches - blotches.mean(1, keepdim=True))


# Edges


def _blur(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return gaussian(photo, _between(2, 8, strength))


def _motion_blur(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    length = 2 * round(_between(4, 16, strength)) + 1
    padded = functional.pad(photo, [length // 2] * 2 + [0, 0], mode="replicate")
    return functional.avg_pool2d(padded, (1, length), stride=1)


def _halos(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    width = _between(0.8, 4, float(torch.rand((), generator=generator)))
    return photo + _between(1.5, 6, strength) * (photo - gaussian(photo, width))


def _ringing(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """All waves shorter than a few pixels cut off at once."""
    waves = torch.fft.rfft2(photo)
    down = torch.fft.fftfreq(photo.shape[-2])[:, None]
    across = torch.fft.rfftfreq(photo.shape[-1])[None]
    waves[..., down.hypot(across) > _between(0.12, 0.03, strength)] = 0
    return torch.fft.irfft2(waves, s=photo.shape[-2:])


def _eroded(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """The darkest of the pixels around each: small lights are gone."""
    radius = round(_between(1, 4, strength))
    return -functional.max_pool2d(-photo, 2 * radius + 1, stride=1, padding=radius)


def _doubled(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    shift = round(_between(5, 24, strength))
    return (photo + photo.roll((shift, shift), (2, 3))) / 2


def _colour_fringes(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    shift = round(_between(3, 12, strength))
    red, green, blue = photo.split(1, 1)
    return torch.cat([red.roll(shift, 3), green, blue.roll(-shift, 3)], 1)


# Blocks and steps


def _coded(photo: Tensor, form: str, quality: int) -> Tensor:
    pixels = (photo[0] * 255).round().byte().permute(1, 2, 0).numpy()
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, form, quality=quality)
    coded = np.asarray(Image.open(file).convert("RGB"), np.float32) / 255
    return torch.from_numpy(coded).permute(2, 0, 1)[None]


def _jpeg(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return _coded(photo, "JPEG", round(_between(14, 3, strength)))


def _webp(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return _coded(photo, "WEBP", round(_between(5, 1, strength)) - 1)


def _mosaic(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    side = round(_between(4, 16, strength))
    coarse = functional.avg_pool2d(photo, side, ceil_mode=True)
    large = coarse.repeat_interleave(side, 2).repeat_interleave(side, 3)
    return large[..., : photo.shape[-2], : photo.shape[-1]]


def _posterised(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    steps = round(_between(7, 2, strength))
    return (photo * steps).round() / steps


def _dithered(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """Few levels, and noise to hide the steps."""
    steps = round(_between(5, 1, strength))
    return (photo * steps + torch.rand(photo.shape, generator=generator)).floor() / steps


def _checkerboard(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    rows, columns = torch.arange(photo.shape[-2])[:, None], torch.arange(photo.shape[-1])
    signs = ((rows + columns) % 2) * 2.0 - 1
    return photo + _between(0.05, 0.25, strength) * signs


# Places


def _rows_shuffled(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """As many rows as the strength says, from a tenth to all, in a wrong place."""
    height = photo.shape[-2]
    number = round(_between(0.1, 1, strength) * height)
    rows = torch.randperm(height, generator=generator)[:number]
    order = torch.arange(height)
    order[rows] = rows[torch.randperm(number, generator=generator)]
    return photo[:, :, order]


def _columns_shuffled(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return _rows_shuffled(photo.mT, strength, generator).mT


def _rows_shifted(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    far = round(_between(3, 20, strength))
    shifts = torch.randint(-far, far + 1, (photo.shape[-2], 1), generator=generator)
    columns = (torch.arange(photo.shape[-1]) + shifts) % photo.shape[-1]
    return photo.gather(3, columns.expand_as(photo))


def _tiles_shuffled(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    side = round(_between(48, 8, strength))
    down, across = (length // side for length in photo.shape[-2:])
    cut = photo[0, :, : down * side, : across * side]
    tiles = cut.unflatten(2, (across, side)).unflatten(1, (down, side)).movedim((1, 3), (0, 1))
    tiles = tiles.flatten(0, 1)[torch.randperm(down * across, generator=generator)]
    tiles = tiles.unflatten(0, (down, across)).movedim((0, 1), (1, 3))
    made = photo.clone()
    made[0, :, : down * side, : across * side] = tiles.flatten(3).flatten(1, 2)
    return made


def _stripes(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """Bands of light and dark across the picture, as of a bad sensor."""
    width = _whole_number(2, 9, generator)
    number = math.ceil(photo.shape[-2] / width)
    bands = torch.randn(number, generator=generator).repeat_interleave(width)
    bands = bands[: photo.shape[-2]].view(1, 1, -1, 1)
    return photo + _between(0.05, 0.25, strength) * bands


def _dead_lines(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    dead = torch.rand(photo.shape[-1], generator=generator) < _between(0.03, 0.3, strength)
    return torch.where(dead, 0.0, photo)


# Light and colour


def _dark(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return photo * (0.25 - 0.25 * strength)


def _bright(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return photo.clamp_min(1e-4) ** (1 / _between(1.7, 4, strength))


def _fog(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return torch.lerp(photo, torch.full_like(photo, 0.7), 0.4 + 0.4 * strength)


def _stretched(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """Contrast stretched until a good part of the picture clips at either end."""
    cut = _between(0.04, 0.25, strength)
    values = photo.flatten()[::7]
    low, high = values.quantile(cut), values.quantile(1 - cut)
    return (photo - low) / (high - low).clamp_min(0.02)


def _equalised(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """Every level as frequent as any other."""
    levels = (_luma(photo) * 255).round().long()
    share = torch.bincount(levels.flatten(), minlength=256).cumsum(0) / levels.numel()
    gain = share[levels] / _luma(photo).clamp_min(1 / 255)
    return torch.lerp(photo, photo * gain, 0.6 + 0.4 * strength)


def _solarised(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    turn = _between(0.7, 0.25, strength)
    return torch.where(photo > turn, 2 * turn - photo, photo)


def _negative(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return 1 - photo


def _grey(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    return torch.lerp(photo, _luma(photo).expand_as(photo), 0.7 + 0.3 * strength)


def _gaudy(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """Colours several times as strong as they are."""
    return torch.lerp(_luma(photo).expand_as(photo), photo, _between(2, 5, strength))


def _cast(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """One channel loses most of its light, or another two do."""
    gains = torch.ones(1, 3, 1, 1)
    gains[0, _whole_number(0, 3, generator)] = _between(0.5, 0.1, strength)
    turned = _whole_number(0, 2, generator)
    return photo * (gains.min() * gains.reciprocal() if turned else gains)


def _channels(order: tuple[int, int, int]) -> Ruin:
    def swap(photo: Tensor, strength: float, generator: Generator) -> Tensor:
        return photo[:, list(order)]

    return swap


# Pictures of nothing


def _flat(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """One colour, from the photograph's mean to any."""
    any_colour = torch.rand(1, 3, 1, 1, generator=generator)
    return torch.lerp(photo.mean((2, 3), keepdim=True), any_colour, strength).expand_as(photo)


def _only_noise(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    mean, spread = photo.mean((2, 3), keepdim=True), photo.std((2, 3), keepdim=True)
    return mean + (1 + strength) * spread * _noise_like(photo, generator)


def _only_a_slope(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """From one colour to another, and a corner as bright as can be."""
    ends = torch.rand(2, 1, 3, 1, 1, generator=generator)
    slope = torch.linspace(0, 1, photo.shape[-1]).expand(photo.shape)
    return torch.lerp(strength * ends[0].expand_as(photo), ends[1].expand_as(photo), slope)


def _only_clouds(photo: Tensor, strength: float, generator: Generator) -> Tensor:
    """Smooth noise of all sizes: the light of a photograph, and no thing in it."""
    made = torch.zeros_like(photo)
    for side in (4, 8, 16, 32, 64, 128):
        coarse = torch.randn(1, 3, side, side, generator=generator)
        size = photo.shape[-2:]
        made += functional.interpolate(coarse, size=size, mode="bilinear") / side**0.7
    spread = photo.std((2, 3), keepdim=True) / made.std((2, 3), keepdim=True)
    return photo.mean((2, 3), keepdim=True) + (1 + strength) * spread * made


TAUGHT: dict[str, Ruin] = {
    "noise": _noise,
    "salt and pepper": _salt_and_pepper,
    "speckle": _speckle,
    "blurred": _blur,
    "sharpening halos": _halos,
    "colour fringes": _colour_fringes,
    "JPEG blocks": _jpeg,
    "mosaic": _mosaic,
    "posterised": _posterised,
    "rows shuffled": _rows_shuffled,
    "tiles shuffled": _tiles_shuffled,
    "stripes": _stripes,
    "nearly black": _dark,
    "much too bright": _bright,
    "fog": _fog,
    "contrast stretched": _stretched,
    "negative": _negative,
    "grey": _grey,
    "gaudy": _gaudy,
    "colour cast": _cast,
    "red and blue swapped": _channels((2, 1, 0)),
    "red and green swapped": _channels((1, 0, 2)),
    "one colour": _flat,
    "only noise": _only_noise,
    "only clouds": _only_clouds,
    "any tones": any_tones,
    "any colours": any_colours,
    "any grain": any_grain,
    "any places": any_places,
}

UNSEEN: dict[str, Ruin] = {
    "grey noise": _grey_noise,
    "shot noise": _shot_noise,
    "colour blotches": _colour_blotches,
    "motion blur": _motion_blur,
    "ringing": _ringing,
    "eroded": _eroded,
    "doubled": _doubled,
    "WebP blocks": _webp,
    "dithered": _dithered,
    "checkerboard": _checkerboard,
    "columns shuffled": _columns_shuffled,
    "rows shifted": _rows_shifted,
    "dead lines": _dead_lines,
    "equalised": _equalised,
    "solarised": _solarised,
    "channels rotated": _channels((1, 2, 0)),
    "only a slope": _only_a_slope,
}
