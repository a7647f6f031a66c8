"""The numbers of one picture: how each is computed, and how it is printed everywhere."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from semilar import plugins
from semilar.errors import SemilarError
from semilar.photo import read, to_depth
from semilar.quality import (
    Convention,
    Regions,
    psnr,
    psnr_outside,
    region_psnr,
    shared_lpips,
    ssim,
    uses_colour_code,
)

Values = dict[str, float | None]  # metric -> value; None where the picture has no such region
Encoded = NDArray[Any]  # (H, W, 3), encoded light, as a file holds it


@dataclass(frozen=True)
class Compared:
    """A picture and what it is compared with, all of them *encoded* light (H, W, 3)."""

    picture: Encoded
    truth: Encoded
    mask: NDArray[np.uint8] | None = None  # in the published colour code
    left_out: NDArray[np.uint8] | None = None  # what is white in it does not count
    lpips: Mapping[Convention, float] = field(default_factory=dict)  # both, or none asked for

    @cached_property
    def regions(self) -> Regions:
        """PSNR of the regions of the mask."""
        assert self.mask is not None
        return region_psnr(self.picture, self.truth, self.mask)

    @property
    def outside(self) -> float | None:
        """PSNR of what is not left out."""
        assert self.left_out is not None
        return psnr_outside(self.picture, self.truth, self.left_out)


@dataclass(frozen=True)
class Metric:
    """One number: `of` computes it, the rest says how it is printed and which way is better.

    It is computed where there is what it `needs`; `of` gives None where a picture has no such
    region.
    """

    key: str
    label: str
    digits: int
    of: Callable[[Compared], float | None]
    higher_is_better: bool = True
    needs: Literal["mask", "left_out", "lpips"] | None = None


_OWN = (
    Metric("psnr", "PSNR (dB)", 3, lambda one: psnr(one.picture, one.truth)),
    Metric("ssim", "SSIM", 4, lambda one: ssim(one.picture, one.truth)),
    Metric(
        "lpips_published",
        "LPIPS [0,1] as published",
        4,
        lambda one: one.lpips["published"],
        higher_is_better=False,
        needs="lpips",
    ),
    Metric(
        "lpips_intended",
        "LPIPS [-1,1] as intended",
        4,
        lambda one: one.lpips["intended"],
        higher_is_better=False,
        needs="lpips",
    ),
    Metric("g_psnr", "G-PSNR (dB)", 3, lambda one: one.regions.glare, needs="mask"),
    Metric("s_psnr", "S-PSNR (dB)", 3, lambda one: one.regions.streak, needs="mask"),
    Metric("global_psnr", "global PSNR (dB)", 3, lambda one: one.regions.outside, needs="mask"),
    Metric(
        "outside_psnr",
        "PSNR outside the mask (dB)",
        3,
        lambda one: one.outside,
        needs="left_out",
    ),
)
REGIONS = ("g_psnr", "s_psnr", "global_psnr")
SCORE = Metric("score", "challenge score (dB)", 3, lambda _: None)  # of means, not of a picture


def metrics() -> dict[str, Metric]:
    """All metrics of a picture by their keys: those here, then those of other packages."""
    own = {one.key: one for one in _OWN}
    return {name: _found(name, own) for name in plugins.names("metrics", own)}


def metric(key: str) -> Metric:
    """The metric with this key, the challenge score included."""
    return SCORE if key == SCORE.key else _found(key, {one.key: one for one in _OWN})


def _found(key: str, own: Mapping[str, Metric]) -> Metric:
    found = plugins.find("metrics", key, own)
    if not isinstance(found, Metric) or found.key != key:
        raise SemilarError(f"{key}: not a semilar.evaluate.Metric with that key.")
    return found


def measure(
    files: Mapping[str, Path], roles: tuple[str, ...], *, with_lpips: bool
) -> dict[str, Values]:
    """The row of numbers of each role in `roles` against the ground truth of the same picture."""
    pictures = {role: read(files[role]).pixels for role in roles}
    truth = read(files["truth"]).pixels
    mask = _read_mask(files["mask"]) if "mask" in files else None
    left_out = to_depth(read(files["left_out"]).pixels, 8) if "left_out" in files else None
    for other, partner in (("truth", truth), ("mask", mask), ("left_out", left_out)):
        for role, picture in pictures.items():
            if partner is not None and partner.shape != picture.shape:
                raise SemilarError(
                    f"{files[role]}: has {picture.shape[1]} x {picture.shape[0]} pixels, its "
                    f"partner {files[other]} {partner.shape[1]} x {partner.shape[0]}."
                )
    lpips = _lpips(pictures, truth) if with_lpips else {role: {} for role in pictures}
    return {
        role: _row(Compared(picture, truth, mask, left_out, lpips[role]))
        for role, picture in pictures.items()
    }


def _row(one: Compared) -> Values:
    lacking = {
        "mask": one.mask is None,
        "left_out": one.left_out is None,
        "lpips": not one.lpips,
        None: False,
    }
    return {key: each.of(one) for key, each in metrics().items() if not lacking[each.needs]}


def _lpips(pictures: Mapping[str, Encoded], truth: Encoded) -> dict[str, dict[Convention, float]]:
    """Both conventions for each role; the features of the truth are computed once for all."""
    found: dict[str, dict[Convention, float]] = {role: {} for role in pictures}
    for convention in get_args(Convention):
        distances = shared_lpips().against(truth, list(pictures.values()), convention=convention)
        for role, distance in zip(pictures, distances, strict=True):
            found[role][convention] = distance
    return found


def _read_mask(file: Path) -> NDArray[np.uint8]:
    mask = to_depth(read(file).pixels, 8)
    if not uses_colour_code(mask):
        raise SemilarError(
            f"{file}: is not in the published colour code (glare 255,255,0; streak 255,0,0; "
            "light source 0,0,255; the rest black)."
        )
    return mask
