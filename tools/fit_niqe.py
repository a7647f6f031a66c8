"""Fit what NIQE calls natural to free photographs and put it into the package.

    python tools/fit_niqe.py PHOTOS

PHOTOS is a folder of undamaged photographs with its list beside it (PHOTOS.csv: file, author,
licence, link, source). As published, only the sharper patches of each photograph count.
"""

import csv
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from rich.progress import track
from safetensors.torch import save

from semilar.files import write_bytes, write_text
from semilar.quality.scorers.natural import bundle, patch_features

SHARPEST = 0.75  # a patch counts from this share of its photograph's sharpest patch on
BUNDLED = Path(__file__).parents[1] / "src/semilar/weights/bundled"


def sharp_features(photo: Path) -> torch.Tensor:
    """Features of the sharp patches of one photograph, (P, 36)."""
    with Image.open(photo) as opened:
        pixels = np.asarray(opened.convert("RGB"), np.float32) / 255
    batch = torch.from_numpy(pixels.transpose(2, 0, 1))[None]
    features, sharpness = patch_features(batch)
    return features[sharpness > SHARPEST * sharpness.max()]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    with folder.with_suffix(".csv").open() as file:
        photos = sorted(csv.DictReader(file), key=lambda row: row["file"])
    features = torch.cat(
        [sharp_features(folder / row["file"]) for row in track(photos, description="photographs")]
    )
    mean, covariance = bundle(features.double())
    content = save({"mean": mean.float(), "covariance": covariance.float()})
    write_bytes(BUNDLED / "niqe.safetensors", content)
    digest = hashlib.sha256(content).hexdigest()
    card = {
        "name": "niqe",
        "purpose": "statistics of natural photographs: the no-reference scorer `niqe`",
        "licence": "Apache-2.0",
        "sha256": {"niqe.safetensors": digest},
        "recipe": "tools/fit_niqe.py",
        "patches": len(features),
        "photographs": [
            {key: row[key] for key in ("file", "author", "licence", "link", "source")}
            for row in photos
        ],
    }
    write_text(BUNDLED / "niqe.json", json.dumps(card, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(photos)} photographs, {len(features)} patches.")


if __name__ == "__main__":
    main()
