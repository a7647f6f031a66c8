"""The numbers of the paper's tables, typed from its text in the order in which it prints them."""

PSNR, SSIM, LPIPS, G, S = "psnr", "ssim", "lpips_published", "g_psnr", "s_psnr"
FIVE = (PSNR, SSIM, LPIPS, G, S)
OURS = (27.620, 0.897, 0.0493, 24.276, 22.686)
NO_REPOSITORY = (26.746, 0.885, 0.0533, 23.427, 21.658)
UFORMER = (27.633, 0.894, 0.0428, 23.949, 22.603)

COLUMNS = {
    "comparison": FIVE,
    "flarex": (PSNR, G, LPIPS),
    "flarereal600": (PSNR, SSIM, LPIPS),  # the paper heads the second one G-PSNR
    "unlabeled-full": FIVE,
    "ablation-core": FIVE,
    "ablation-repository": FIVE,
    "ablation-augmentation": FIVE,
}
PRINTED: dict[str, dict[str, tuple[float, ...]]] = {
    "comparison": {
        "Wu": (24.613, 0.871, 0.0598, 21.772, 16.728),
        "Zhou": (25.149, 0.883, 0.0576, 22.053, 17.865),
        "Flare7k": (26.978, 0.890, 0.0466, 23.828, 21.563),
        "U-Net": (27.189, 0.894, 0.0452, 23.527, 22.647),
        "HINet": (27.548, 0.892, 0.0464, 24.081, 22.907),
        "Restormer": (27.597, 0.897, 0.0447, 23.828, 22.452),
        "Uformer": UFORMER,
        "Flare-Free": (27.662, 0.897, 0.0422, 23.987, 22.847),
        "DeflareMamba": (27.789, 0.899, 0.0449, 24.406, 22.378),
        "SGSFT": (28.077, 0.904, 0.0416, 24.477, 23.305),
        "SLCFormer": (28.092, 0.905, 0.0400, 24.497, 23.287),
        "Flare-Free, 8K labeled": (27.240, 0.886, 0.0472, 23.564, 22.305),
        "SGSFT, 8K labeled": (27.601, 0.896, 0.0497, 24.201, 22.665),
        "SLCFormer, 8K labeled": (27.301, 0.889, 0.0477, 23.920, 22.052),
        "SFSNiD": (24.992, 0.860, 0.0446, 23.178, 21.520),
        "Ours": OURS,
    },
    "flarex": {
        "Flare7K": (19.496, 29.765, 0.140),
        "Flare7Kpp": (19.007, 28.749, 0.143),
        "Flare-Free": (19.232, 29.038, 0.140),
        "DeflareMamba": (18.816, 28.625, 0.138),
        "Ours": (19.960, 29.899, 0.141),
    },
    "flarereal600": {
        "Flare7K": (19.585, 0.592, 0.261),
        "Flare7Kpp": (19.890, 0.599, 0.257),
        "SLCFormer": (20.117, 0.602, 0.266),
        "Ours": (20.368, 0.604, 0.260),
    },
    "unlabeled-full": {
        "8K labeled": (27.392, 0.890, 0.0455, 23.982, 21.506),
        "8K + 8K": (27.467, 0.896, 0.0458, 24.046, 22.751),
        "Full labeled": UFORMER,
        "Full + 8K": (28.045, 0.906, 0.0414, 24.589, 23.436),
    },
    "ablation-core": {
        "labels alone": (),
        "w/o both": (26.541, 0.879, 0.0559, 23.130, 21.341),
        "w/o DR": NO_REPOSITORY,
        "w/o Lcr": (26.711, 0.884, 0.0538, 23.297, 21.667),
        "Full model": OURS,
    },
    "ablation-repository": {
        "None": NO_REPOSITORY,
        "Mom.": (26.982, 0.891, 0.0518, 23.502, 22.065),
        "Mom. + QG": OURS,
    },
    "ablation-augmentation": {
        "none of them": (26.796, 0.888, 0.0531, 23.384, 21.684),
        "CJ": (27.342, 0.892, 0.0511, 23.976, 22.361),
        "RG": (27.349, 0.895, 0.0508, 23.942, 22.514),
        "GB": (27.159, 0.895, 0.0521, 23.612, 22.360),
        "CJ + RG + GB": OURS,
    },
}
