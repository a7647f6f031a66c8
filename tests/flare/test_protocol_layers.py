"""The layers of the published protocol against the same steps done slowly by SciPy."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter, map_coordinates

from semilar.flare.decode import Decoded
from semilar.flare.protocol import pattern_layers
from semilar.flare.settings import PatternSettings

SIDE, PATTERN, GAMMA = 128, 400, 2.0
VIEW = SIDE / 512
FIXED = {
    "rotation": 25.0,
    "translation": 18.0,
    "shear": 14.0,
    "scale": 1.1,
    "blur": 3.9,
    "offset": 0.015,
    "brightness": 1.6,
}


class OnePattern:
    """A folder with one pattern and its light source."""

    groups = (("only",),)
    reflective = ()

    def __init__(self, *, light: bool = True) -> None:
        rng = np.random.default_rng(2)
        noise = gaussian_filter(rng.random((3, PATTERN, PATTERN)), (0, 3, 3))
        noise = (noise - noise.min()) / (noise.max() - noise.min())
        rows, columns = np.indices((PATTERN, PATTERN)) - PATTERN / 2
        near = np.exp(-((rows**2 + columns**2) / 90**2))
        lamp = np.exp(-((rows**2 + columns**2) / 14**2))
        self.flare = (200 * noise * near + 20 + 30 * lamp).clip(0, 255).astype(np.uint8)
        self.light = np.stack([(170 * lamp).astype(np.uint8)] * 3) if light else None
        self.low, self.high = (f(self.flare, axis=(1, 2)) for f in (np.min, np.max))

    def decode(self, _: str) -> Decoded:
        return Decoded(self.flare, self.low, self.high, self.light, (0, 0))


def linear_flare(pattern: OnePattern) -> np.ndarray:
    """Encoded pattern to linear light, its black at 0 and its white where it was."""
    linear = (pattern.flare / 255.0) ** GAMMA
    low, high = (
        (np.asarray(v) / 255.0)[:, None, None] ** GAMMA for v in (pattern.low, pattern.high)
    )
    return np.maximum(linear - low, 0) * high / (high - low)


def warped(planes: np.ndarray, values: dict[str, float]) -> np.ndarray:
    """Each pixel of the crop looked up where shear, turn, scale and shift have brought it from."""
    shear = math.tan(math.radians(values["shear"]))
    angle = math.radians(values["rotation"])
    scale = values["scale"] * VIEW * 1440 / PATTERN
    turn = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    forward = scale * np.array(turn) @ np.array([[1, shear], [shear, 1]])
    rows, columns = np.indices((SIDE, SIDE)) + 0.5
    middle = SIDE / 2 + values["translation"] * VIEW
    away = np.stack([columns.ravel() - middle, rows.ravel() - middle])
    x, y = np.linalg.solve(forward, away) + PATTERN / 2 - 0.5
    shape = (SIDE, SIDE)
    return np.stack([map_coordinates(p, [y, x], order=1).reshape(shape) for p in planes])


def slow_layers(pattern: OnePattern, values: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Light source and flare, (H, W, 3)."""
    sigma = (0, values["blur"] * VIEW, values["blur"] * VIEW)
    assert pattern.light is not None
    light = gaussian_filter(warped((pattern.light / 255.0) ** GAMMA, values), sigma)
    flare = gaussian_filter(warped(linear_flare(pattern), values), sigma)
    flare = np.clip(flare * values["brightness"] - light + values["offset"], 0, 1)
    return light.transpose(1, 2, 0), flare.transpose(1, 2, 0)


def fast_layers(pattern: OnePattern, values: dict[str, float]) -> Any:
    ranges: Any = {name: (value, value) for name, value in values.items()}
    settings = PatternSettings(flip=False, **ranges)
    rng = np.random.default_rng(0)
    return pattern_layers(rng, pattern, (SIDE, SIDE), GAMMA, settings)  # type: ignore[arg-type]


def test_layers_are_those_of_the_slow_protocol() -> None:
    pattern = OnePattern()
    made, (light, flare) = fast_layers(pattern, FIXED), slow_layers(pattern, FIXED)
    np.testing.assert_allclose(made.light, light, atol=4e-3)
    np.testing.assert_allclose(made.flare, flare, atol=8e-3)
    assert np.abs(made.flare - flare).mean() < 5e-4


@pytest.mark.parametrize(
    ("name", "neutral"),
    [("offset", 0.0), ("brightness", 1.0), ("blur", 0.1), ("shear", 0.0), ("rotation", 0.0)],
)
def test_every_parameter_changes_what_is_made(name: str, neutral: float) -> None:
    """As much as in the slow protocol: a parameter that is drawn and not applied shows."""
    pattern = OnePattern()
    without = {**FIXED, name: neutral}
    wanted = slow_layers(pattern, FIXED)[1] - slow_layers(pattern, without)[1]
    found = fast_layers(pattern, FIXED).flare - fast_layers(pattern, without).flare
    assert np.abs(wanted).mean() > 1e-3
    assert np.abs(found - wanted).mean() < 0.25 * np.abs(wanted).mean()


def test_the_light_source_is_no_part_of_the_flare() -> None:
    pattern = OnePattern()
    made = fast_layers(pattern, FIXED)
    dark = OnePattern()
    assert dark.light is not None
    dark.light = np.zeros_like(dark.light)
    unlit = fast_layers(dark, FIXED)
    assert made.light.max() > 0.2
    clipped = (made.flare == 0) | (unlit.flare == 1)
    difference = unlit.flare - made.flare - made.light
    assert np.abs(difference[~clipped]).max() < 1e-5
    assert (~clipped & (made.light > 0.05)).any()
