"""A small test set on disk: results, ground truth, masks, the untouched input and a baseline."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.support.pictures import smooth_picture

COUNT = 6


def save(pixels: np.ndarray, file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(file)
    return file


def truth_of(i: int) -> np.ndarray:
    return smooth_picture(40 + i, 56, seed=i)


def with_flare(i: int, strength: float) -> np.ndarray:
    truth = truth_of(i).astype(float)
    y, x = np.mgrid[: truth.shape[0], : truth.shape[1]]
    glow = 100 * np.exp(-((y - 15) ** 2 + (x - 20 - i) ** 2) / 150)
    return np.clip(truth + strength * glow[..., None], 0, 255).astype(np.uint8)


def mask_of(i: int) -> np.ndarray:
    mask = np.zeros((40 + i, 56, 3), np.uint8)
    mask[5:25, 10:35] = (255, 255, 0)
    mask[13:17, 18:22] = (0, 0, 255)
    if i % 2:  # every other picture has a streak
        mask[30:33] = (255, 0, 0)
    return mask


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, Path]:
    """Folders by role, the files named as the published sets name them."""
    for i in range(COUNT):
        save(truth_of(i), tmp_path / "gt" / f"gt_{i:03}.png")
        save(mask_of(i), tmp_path / "mask" / f"mask_{i:03}.png")
        save(with_flare(i, 1.0), tmp_path / "input" / f"input_{i:03}.png")
        save(with_flare(i, 0.2 + 0.02 * i), tmp_path / "result" / f"{i:03}.png")
        save(with_flare(i, 0.5 - 0.03 * i), tmp_path / "baseline" / f"{i:03}_pred.png")
    return {
        "result": tmp_path / "result",
        "truth": tmp_path / "gt",
        "mask": tmp_path / "mask",
        "untouched": tmp_path / "input",
        "baseline": tmp_path / "baseline",
    }
