"""The numbers of one picture, and what each of them is called wherever it is printed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from semilar.errors import SemilarError
from semilar.photo import read, to_depth
from semilar.quality import (
    Convention,
    psnr,
    psnr_outside,
    region_psnr,
    shared_lpips,
    ssim,
    uses_colour_code,
)

Row = dict[str, float | None]  # metric -> value; None where the picture has no such region


@dataclass(frozen=True)
class Metric:
    """How one number is printed and which way is better."""

    key: str
    label: str
    digits: int
    higher_is_better: bool = True


METRICS = (
    Metric("psnr", "PSNR (dB)", 3),
    Metric("ssim", "SSIM", 4),
    Metric("lpips_published", "LPIPS [0,1] as published", 4, higher_is_better=False),
    Metric("lpips_intended", "LPIPS [-1,1] as intended", 4, higher_is_better=False),
    Metric("g_psnr", "G-PSNR (dB)", 3),
    Metric("s_psnr", "S-PSNR (dB)", 3),
    Metric("global_psnr", "global PSNR (dB)", 3),
    Metric("outside_psnr", "PSNR outside the mask (dB)", 3),
)
SCORE = Metric("score", "challenge score (dB)", 3)
REGIONS = ("g_psnr", "s_psnr", "global_psnr")
BY_KEY = {metric.key: metric for metric in (*METRICS, SCORE)}


def measure(
    files: Mapping[str, Path], roles: tuple[str, ...], *, with_lpips: bool
) -> dict[str, Row]:
    """The row of numbers of each role in `roles` against the ground truth of the same picture."""
    truth = read(files["truth"]).pixels
    mask = _read_mask(files["mask"]) if "mask" in files else None
    left_out = to_depth(read(files["left_out"]).pixels, 8) if "left_out" in files else None
    pictures = {role: read(files[role]).pixels for role in roles}
    for role, picture in pictures.items():
        for other, shape in (
            ("truth", truth.shape),
            ("mask", None if mask is None else mask.shape),
            ("left_out", None if left_out is None else left_out.shape),
        ):
            if shape is not None and shape != picture.shape:
                raise SemilarError(
                    f"{files[role]}: has {picture.shape[1]} x {picture.shape[0]} pixels, its "
                    f"partner {files[other]} {shape[1]} x {shape[0]}."
                )
    rows: dict[str, Row] = {
        role: {"psnr": psnr(picture, truth), "ssim": ssim(picture, truth)}
        for role, picture in pictures.items()
    }
    if with_lpips:
        _add_lpips(rows, pictures, truth)
    if mask is not None:
        for role, picture in pictures.items():
            regions = region_psnr(picture, truth, mask)
            rows[role] |= dict(
                zip(REGIONS, (regions.glare, regions.streak, regions.outside), strict=True)
            )
    if left_out is not None:
        for role, picture in pictures.items():
            rows[role]["outside_psnr"] = psnr_outside(picture, truth, left_out)
    return rows


def _add_lpips(rows: dict[str, Row], pictures: Mapping[str, NDArray], truth: NDArray) -> None:
    for convention in get_args(Convention):
        distances = shared_lpips().against(truth, list(pictures.values()), convention=convention)
        for row, distance in zip(rows.values(), distances, strict=True):
            row[f"lpips_{convention}"] = distance


def _read_mask(file: Path) -> NDArray[np.uint8]:
    mask = to_depth(read(file).pixels, 8)
    if not uses_colour_code(mask):
        raise SemilarError(
            f"{file}: is not in the published colour code (glare 255,255,0; streak 255,0,0; "
            "light source 0,0,255; the rest black)."
        )
    return mask
