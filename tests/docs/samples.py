"""The files that the commands of the documentation name, small."""

import shutil
from pathlib import Path

import numpy as np
from PIL import Image

from semilar.flare import SynthSettings, synthesize
from semilar.flare.scene import night_scene
from tests.support.models import dimming_model


def pair(seed: int, side: int = 96) -> tuple[Image.Image, Image.Image]:
    """A flared night scene and the same without its flare."""
    made = synthesize(
        night_scene(seed, (side + 32, side + 64)),
        seed=seed,
        settings=SynthSettings.preset("smeared"),
        size=(side, side),
    )
    levels = [np.rint(x * 255).astype(np.uint8) for x in (made.input, made.target)]
    return Image.fromarray(levels[0]), Image.fromarray(levels[1])


def mask() -> Image.Image:
    """The published colour code: glare, and a streak in it."""
    pixels = np.zeros((96, 96, 3), np.uint8)
    pixels[20:60, 20:60] = (255, 255, 0)
    pixels[40:44] = (255, 0, 0)
    return Image.fromarray(pixels)


def light() -> Image.Image:
    """A flare pattern: a glow on black."""
    y, x = np.mgrid[:360, :360] - 180
    glow = 255 * np.exp(-(x**2 + y**2) / 2000)
    return Image.fromarray(np.repeat(np.rint(glow).astype(np.uint8)[..., None], 3, axis=2))


def fill(folder: Path) -> None:
    """Write every sample into `folder`."""
    pairs = [pair(seed) for seed in range(6)]

    def save(places: str, pictures: list[Image.Image], pattern: str) -> None:
        for place in places.split():
            (folder / place).mkdir(parents=True, exist_ok=True)
            for i, picture in enumerate(pictures):
                picture.save(folder / place / pattern.format(i))

    flared, clean = [each[0] for each in pairs], [each[1] for each in pairs]
    save("holiday camera FLARED results", flared, "photo-{}.jpg")
    save("CLEAN PHOTOS DATA/train DATA/test", clean, "clean-{}.png")
    large = [Image.fromarray(night_scene(seed, (640, 800))) for seed in range(2)]
    save("photos", large, "night-{}.jpg")
    save("Flare7Kpp/Flare-R/Compound_Flare Flare7Kpp/Flare-R/Light_Source", [light()], "{:06}.png")
    save("flare restored ours theirs PAIRS/input", flared, "input_{:03}.png")
    save("gt test/gt PAIRS/gt", clean, "gt_{:03}.png")
    save("test/mask", [mask()] * 6, "mask_{:03}.png")
    for data in ("Flare7Kpp/test_data/real", "FlareReal600"):
        save(f"{data}/input", flared[:2], "input_{:03}.png")
        save(f"{data}/gt", clean[:2], "gt_{:03}.png")
    flared[0].save(folder / "street.jpg")
    clean[0].save(folder / "street-clean.jpg")
    shutil.copy(folder / "street.jpg", folder / "in.jpg")
    Image.new("L", flared[0].size, 255).save(folder / "mask.png")
    dimming_model(folder / "my-model.onnx")
