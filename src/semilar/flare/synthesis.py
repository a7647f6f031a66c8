"""From a photograph without flare to a labeled example."""

import numpy as np

from semilar.flare import background as backdrop
from semilar.flare.compose import compose
from semilar.flare.draws import Rng, chance, log_uniform, uniform
from semilar.flare.frame import draw_frame
from semilar.flare.lens import cast, draw_lens
from semilar.flare.lights import (
    colour_by_lamp,
    draw_bars,
    draw_lights,
    draw_quiet,
    find_lights,
    light_up,
)
from semilar.flare.masks import STREAK_FLOOR, brightest
from semilar.flare.patterns import PatternSet
from semilar.flare.protocol import pattern_layers
from semilar.flare.sample import Bytes, Floats, Layers, Sample
from semilar.flare.settings import SynthSettings


def synthesize(
    background: Bytes,
    *,
    seed: int,
    settings: SynthSettings,
    size: tuple[int, int],
    patterns: PatternSet | None = None,
) -> Sample:
    """Make one sample of (height, width) `size` from an *encoded* photograph (H, W, 3) uint8.

    Flares come from `patterns` where given, else from the simulator. The same seed, settings,
    photograph and patterns give the same bytes.
    """
    rng = np.random.default_rng(seed)
    gamma = uniform(rng, settings.background.gamma)
    scene = backdrop.prepare(rng, background, size, gamma, settings.background)
    if patterns is None:
        layers = simulate(rng, scene, settings)
    else:
        layers = pattern_layers(rng, patterns, size, gamma, settings.pattern)
    cast_colour(rng, scene, layers, settings)
    return compose(rng, scene, layers, gamma, settings.camera)


def cast_colour(rng: Rng, scene: Floats, layers: Layers, settings: SynthSettings) -> None:
    """Give scene, lamps and flare, all *linear* light, their colour casts, in place."""
    if settings.background.warmer[1] > 0:
        warmth = backdrop.warmth(uniform(rng, settings.background.warmer) / 2)
        scene *= warmth
        layers.flare[:] /= warmth
    if settings.background.cast or settings.background.temperature:
        factors = backdrop.draw_cast(rng, settings.background)
        for picture in (scene, layers.light, layers.flare):
            picture *= factors
        np.clip(scene, 0, 1, out=scene)


def simulate(rng: Rng, scene: Floats, settings: SynthSettings) -> Layers:
    """Draw lights into a *linear* scene and cast their flare; all layers are linear light."""
    size = scene.shape[0], scene.shape[1]
    frame = draw_frame(rng, size, settings.crop)
    light = np.zeros_like(scene)
    found = find_lights(scene, settings.lights.adopt, log_uniform(rng, settings.lights.radiance))
    lights = draw_lights(rng, frame, settings.lights, light) + found
    colour_by_lamp(rng, scene, lights, settings.lights)
    light_up(rng, scene, lights, frame, settings.lights)
    draw_quiet(rng, frame, settings.lights, light)
    draw_bars(rng, frame, settings.lights, light)
    if chance(rng, settings.flare_free):
        return Layers(light, np.zeros_like(scene), np.zeros(size, bool))
    lens = draw_lens(rng, frame, settings.lens)
    glare, streak = cast(lens, lights, frame)
    return Layers(light, glare + streak, brightest(streak) > STREAK_FLOOR)
