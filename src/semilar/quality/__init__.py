"""How good a picture is: full-reference metrics here, no-reference scorers in `scorers`.

PSNR, SSIM and the region metrics need only NumPy. LPIPS needs torch (the `train` extra) and
weights that are fetched once (`semilar weights fetch lpips-alex`).
"""

from semilar.quality.lpips import Convention, Lpips, check_lpips, lpips, shared_lpips
from semilar.quality.psnr import psnr
from semilar.quality.regions import (
    Regions,
    challenge_score,
    psnr_outside,
    region_psnr,
    uses_colour_code,
)
from semilar.quality.ssim import ssim

__all__ = [
    "Convention",
    "Lpips",
    "Regions",
    "challenge_score",
    "check_lpips",
    "lpips",
    "psnr",
    "psnr_outside",
    "region_psnr",
    "shared_lpips",
    "ssim",
    "uses_colour_code",
]
