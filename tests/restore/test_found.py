"""The word for what was found: none is false, little is weak, and it is one word everywhere."""

import json

import numpy as np
import pytest
from PIL import Image

from semilar.restore import Remover
from semilar.restore.found import WEAK_BELOW, Found, how_much


class Darker:
    """An engine that takes so much linear light from every pixel of a grey picture."""

    def __init__(self, light: float) -> None:
        self.light = light

    def run(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        linear = image**2.4  # near enough to the sRGB curve for the bright grey used here
        scene = np.clip(linear - self.light, 0, 1) ** (1 / 2.4)
        return scene.astype(np.float32), image - scene.astype(np.float32)


def test_none_is_false_and_all_are_plain_words() -> None:
    assert [str(word) for word in Found] == ["none", "weak", "strong"]
    assert [bool(word) for word in Found] == [False, True, True]
    assert json.dumps({"found": Found.WEAK}) == '{"found": "weak"}'


@pytest.mark.parametrize(
    ("light", "word"), [(0, "none"), (WEAK_BELOW * 0.9, "weak"), (WEAK_BELOW * 1.1, "strong")]
)
def test_the_word_follows_the_light(light: float, word: str) -> None:
    assert how_much(light) == word


@pytest.mark.parametrize(("light", "word"), [(0.0, "none"), (0.05, "strong")])
def test_the_result_says_it(light: float, word: str) -> None:
    grey = np.full((40, 50, 3), 150, np.uint8)
    result = Remover(engine=Darker(light)).remove(grey)
    assert result.found == word
    assert result.light == pytest.approx(light, rel=0.15)
    assert np.array_equal(result.image, grey) == (not result.found)


def test_a_small_flare_is_little_light() -> None:
    class Spot:
        def run(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            scene = image.copy()
            scene[..., :9, :9] *= 0.5
            return scene, image - scene

    picture = np.asarray(Image.new("RGB", (120, 100), (60, 60, 60)))
    assert Remover(engine=Spot()).remove(picture).found == "weak"
