"""Simulated restorations: what a flare remover may hand back, from nearly right to ruined.

Each starts from a flared picture and its clean scene and is built in linear light, where flare
adds. The kinds are those a repository of pseudo labels meets: residual flare at any strength and
in places, over-removal (dark halos and holes), light sources dimmed or greyed, darkening as a
whole or in patches, blur and fog. They train `flare-score` and check it.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Generator, Tensor
from torch.nn import functional

# A restoration closer to its scene than this is called perfect (dB).
BEST_PSNR = 50.0


def restore(
    flared: Tensor, clean: Tensor, kind: str, amount: Tensor, generator: Generator
) -> Tensor:
    """One simulated restoration of each picture.

    flared, clean: (B, 3, H, W), encoded; kind: one of `KINDS`; amount: (B,) in [0, 1], 0 being
    the clean scene itself; returns encoded pictures in [0, 1].
    """
    strength = amount.view(-1, 1, 1, 1)
    # A plain square stands in for the sRGB curve: restorations are plausible, not exact.
    made = KINDS[kind](flared.square(), clean.square(), strength, generator)
    return made.clamp(0, 1).sqrt()


def draw_restorations(
    flared: Tensor, clean: Tensor, number: int, random: np.random.Generator
) -> Tensor:
    """The clean scene, the flared one, and `number` - 2 random restorations of it.

    flared, clean: (1, 3, H, W), encoded; returns (number, 3, H, W), encoded, rounded to 8 bits as
    a photograph is.
    """
    generator = Generator().manual_seed(int(random.integers(2**62)))
    made = [clean, flared]
    while len(made) < number:
        picture = clean
        kinds = [str(random.choice(list(KINDS), p=_SHARES))]
        kinds += [str(random.choice(_AFTERWARDS))] if random.random() < 0.25 else []
        for kind in kinds:
            amount = torch.tensor([random.uniform() ** 1.5], dtype=torch.float32)
            picture = restore(flared, picture, kind, amount, generator)
        made.append(picture)
    return round_to_bytes(torch.cat(made))


def true_psnr(restored: Tensor, clean: Tensor) -> Tensor:
    """PSNR (B,) of encoded pictures against their scene, `BEST_PSNR` at most."""
    return -10 * torch.log10((restored - clean).square().mean((1, 2, 3)) + 10 ** (-BEST_PSNR / 10))


def round_to_bytes(pictures: Tensor) -> Tensor:
    """Encoded pictures in the steps of 8 bits, as in a photograph."""
    return (pictures * 255).round() / 255


def gaussian(x: Tensor, sigma: float) -> Tensor:
    """Pictures (B, 3, H, W), encoded or linear, blurred by `sigma` pixels, as they were given."""
    radius = max(1, round(3 * sigma))
    line = torch.exp(-0.5 * (torch.arange(-radius, radius + 1) / sigma) ** 2)
    line = (line / line.sum()).to(x.dtype)
    kernel = line.repeat(x.shape[1], 1, 1, 1)
    for pad, weight in (((radius, radius, 0, 0), kernel), ((0, 0, radius, radius), kernel.mT)):
        x = functional.conv2d(functional.pad(x, pad, mode="replicate"), weight, groups=x.shape[1])
    return x


def _residual(light: Tensor, scene: Tensor, k: Tensor, generator: Generator) -> Tensor:
    return torch.lerp(scene, light, k)


def _patchy_residual(light: Tensor, scene: Tensor, k: Tensor, generator: Generator) -> Tensor:
    return torch.lerp(scene, light, k * _patches(scene, generator))


def _over_removal(light: Tensor, scene: Tensor, k: Tensor, generator: Generator) -> Tensor:
    return scene - 1.5 * k * (light - scene)


def _hole(light: Tensor, scene: Tensor, k: Tensor, generator: Generator) -> Tensor:
    """The place where the flare was strongest loses its own light as well."""
    flare = (light - scene).clamp_min(0).mean(1, keepdim=True)
    flare = _soften(flare, flare.shape[-1] // 32)
    where = flare / flare.amax((2, 3), keepdim=True).clamp_min(1e-3)
    return scene * (1 - k * where.sqrt())


def _lost_light_source(light: Tensor, scene: Tensor, k: Tensor, generator: Generator) -> Tensor:
    """Whatever shines in the scene is dimmed towards a flat grey."""
    lit = _soften((scene.mean(1, keepdim=True) > 0.7).float(), 2)
    grey = torch.rand(len(scene), 1, 1, 1, generator=generator) * 0.4
    return torch.lerp(scene, torch.minimum(scene, grey), k * lit)


def _darkening(light: Tensor, scene: Tensor, k: Tensor, generator: Generator) -> Tensor:
    return scene * (1 - k) ** 2


def _dark_patches(light: Tensor, scene: Tensor, k: Tensor, generator: Generator) -> Tensor:
    return scene * (1 - k * _patches(scene, generator))


def _blur(light: Tensor, scene: Tensor, k: Tensor, generator: Generator) -> Tensor:
    # One width per call: the amount of the first picture speaks for all.
    return gaussian(scene, 0.4 + 8 * float(k.flatten()[0]) ** 2) if float(k.max()) else scene


def _fog(light: Tensor, scene: Tensor, k: Tensor, generator: Generator) -> Tensor:
    """A veil of one colour, mixed as the eye sees it (encoded): at full strength it is all."""
    tint = 1 + 0.1 * torch.randn(len(scene), 3, 1, 1, generator=generator)
    veil = (0.25 + 0.75 * torch.rand(len(scene), 1, 1, 1, generator=generator)) * tint
    encoded = scene.sqrt()
    return torch.lerp(encoded, veil.expand_as(encoded), k).clamp_min(0).square()


KINDS: dict[str, Callable[[Tensor, Tensor, Tensor, Generator], Tensor]] = {
    "residual": _residual,
    "patchy residual": _patchy_residual,
    "over-removal": _over_removal,
    "hole": _hole,
    "lost light source": _lost_light_source,
    "darkening": _darkening,
    "dark patches": _dark_patches,
    "blur": _blur,
    "fog": _fog,
}

# Residual flare is what the score is for; it is in two samples of five.
_RESIDUAL = {"residual": 0.25, "patchy residual": 0.15}
_SHARES = [_RESIDUAL.get(kind, 0.6 / (len(KINDS) - len(_RESIDUAL))) for kind in KINDS]
# Damage that may come on top of another.
_AFTERWARDS = ["darkening", "dark patches", "blur", "fog"]


def _patches(like: Tensor, generator: Generator) -> Tensor:
    """Soft blobs between 0 and 1 that cover about half the picture, (B, 1, H, W)."""
    coarse = torch.randn(len(like), 1, 5, 5, generator=generator)
    smooth = functional.interpolate(
        coarse, size=like.shape[-2:], mode="bicubic", align_corners=True
    )
    return torch.sigmoid(4 * smooth)


def _soften(mask: Tensor, radius: int) -> Tensor:
    size = 2 * max(radius, 1) + 1
    return functional.avg_pool2d(mask, size, stride=1, padding=size // 2, count_include_pad=False)
