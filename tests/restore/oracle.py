"""An engine that knows the flare, and simulated photos to know it of."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from semilar.flare import SynthSettings, synthesize
from semilar.flare.scene import night_scene
from semilar.photo import linear_to_srgb
from semilar.restore.fullsize import shrink

Bytes = NDArray[np.uint8]


class Oracle:
    """Answers with the true scene at whatever size it is asked for."""

    def __init__(self, scene: NDArray) -> None:
        self.scene = scene  # (H, W, 3), encoded light, any type of pixels

    def run(self, image: NDArray[np.float32]) -> tuple[NDArray, NDArray]:
        """The engine protocol."""
        height, width = image.shape[2:]
        scene = linear_to_srgb(shrink(self.scene, (height, width)).mean)
        planes = np.ascontiguousarray(scene.transpose(2, 0, 1)[None])
        return planes, np.maximum(image - planes, 0)


class Identity:
    """A network that finds nothing, but for noise of a given size (encoded light)."""

    def __init__(self, noise: float = 0.0) -> None:
        self.noise = noise

    def run(self, image: NDArray[np.float32]) -> tuple[NDArray, NDArray]:
        """The engine protocol."""
        rng = np.random.default_rng(0)
        wrong = rng.uniform(-self.noise, self.noise, image.shape).astype(np.float32)
        return image + wrong, np.zeros_like(image)


class Dimmer:
    """A network that calls part of all light flare."""

    def __init__(self, keep: float = 0.6) -> None:
        self.keep = keep

    def run(self, image: NDArray[np.float32]) -> tuple[NDArray, NDArray]:
        """The engine protocol."""
        scene = image * np.float32(self.keep)
        return scene, image - scene


def simulated(size: tuple[int, int], *, seed: int, preset: str = "strong") -> tuple[Bytes, Bytes]:
    """A photo with flare and the same without, (H, W, 3) uint8, encoded light."""
    settings = replace(SynthSettings.preset(preset), flare_free=0.0)
    sample = synthesize(night_scene(seed, size), seed=seed, settings=settings, size=size)
    return codes(sample.input), codes(sample.target)


def codes(encoded: NDArray[np.floating]) -> Bytes:
    """Encoded floats as 8-bit pixels."""
    return np.rint(encoded * 255).astype(np.uint8)


def decibels(picture: NDArray, truth: NDArray) -> float:
    """PSNR of two 8-bit pictures."""
    error = np.mean((picture.astype(np.float64) - truth) ** 2)
    return float(10 * np.log10(255**2 / error))
