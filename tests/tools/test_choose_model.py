"""What chooses between models: gains outside masks, lists of names, bars of the short training."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from skimage.metrics import peak_signal_noise_ratio
from tools.choose_model import Figures, Measured, figures, read_pairs
from tools.short_training import bars

from semilar.restore import Remover

SIZE = (48, 64)


class Darker:
    """An engine that takes a tenth of the light away."""

    def run(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return image * np.float32(0.9), image * np.float32(0.1)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Two pairs; in the first one the upper half is hidden by something black."""
    rng = np.random.default_rng(4)
    for name in ("first", "second"):
        clean = rng.integers(60, 120, (*SIZE, 3), np.uint8)
        flared, mask = clean + np.uint8(40), np.zeros_like(clean)
        if name == "first":
            clean[: SIZE[0] // 2] = 0
            mask[: SIZE[0] // 2] = 255
        for folder, picture in (("input", flared), ("gt", clean), ("mask", mask)):
            (tmp_path / folder).mkdir(exist_ok=True)
            Image.fromarray(picture).save(tmp_path / folder / f"{name}.png")
    return tmp_path


def test_gains_are_those_outside_the_mask(pairs: Path) -> None:
    remover = Remover(engine=Darker(), working_size=48)
    found = figures(remover, read_pairs(pairs), read_pairs(pairs))
    for measured, rows in zip(found.strong, (slice(SIZE[0] // 2, None), slice(None)), strict=True):
        flared, restored, clean = np.split(measured.strip[rows], 3, axis=1)
        before, after = (peak_signal_noise_ratio(clean, one) for one in (flared, restored))
        assert measured.gain == pytest.approx(after - before)
        assert measured.gain > 1
    assert all(psnr < 40 for psnr in found.clean), "clean photographs lost light too"
    gains = [one.gain for one in found.strong]
    assert found.score == pytest.approx(3 * np.mean(gains))


def test_only_listed_pairs_are_read(pairs: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("second\n", encoding="utf-8")
    (only,) = read_pairs(pairs, names)
    assert not only.hidden.any()


def test_the_bars_of_the_short_training() -> None:
    def measured(*gains: float) -> list[Measured]:
        return [Measured(gain, False, np.zeros((1, 1, 3), np.uint8)) for gain in gains]

    good = Figures(measured(1.0, 2.4), measured(*[1.4] * 10, *[-0.31] * 8), [40.0, 50.0])
    assert [enough for *_, enough in bars(good)] == [True] * 4
    bad = Figures(measured(1.0, 2.3), measured(*[1.0] * 9, *[-0.31] * 9), [40.0, 49.0])
    assert [enough for *_, enough in bars(bad)] == [False] * 4
