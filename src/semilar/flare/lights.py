"""Light sources: saturated cores of real shapes with the small glow that belongs to the scene."""

from dataclasses import dataclass

import numpy as np

from semilar.flare.draws import Rng, chance, integer, log_integer, log_uniform, uniform
from semilar.flare.frame import Frame
from semilar.flare.sample import Bools, Floats
from semilar.flare.settings import LightSettings

# Linear colours of lamps, brightest channel 1, from common street and house lights.
LAMP_COLOURS = np.array(
    [
        (1.00, 0.98, 0.95),  # neutral white LED
        (0.88, 0.95, 1.00),  # cold white LED
        (1.00, 0.85, 0.65),  # warm white
        (1.00, 0.70, 0.38),  # halogen, tungsten
        (1.00, 0.60, 0.22),  # sodium
        (0.75, 1.00, 0.85),  # mercury, fluorescent
    ],
    np.float32,
)
PUREST = 0.01
"""Linear light of a pure colour's darkest channel, where its brightest is 1."""
STRIP_PARTS = 48
"""Sources that a long lamp consists of."""

# The source that heights in the settings refer to: linear light of its surface, and its radius
# as a share of the short side.
REFERENCE_RADIANCE = 10.0
REFERENCE_RADIUS = 0.012

LIT_BY = 3
"""Only this many lamps, the strongest, light the scene up."""
SATURATED = 0.85
"""Linear light from which a pixel of a photograph counts as part of a lamp."""
FULL_SPILL = 0.4
"""Linear light, over the scene's own, that a bright lamp has around its clipped disc."""


Point = tuple[float, float]


@dataclass(frozen=True)
class Light:
    """One source that casts flare."""

    x: float
    y: float
    radius: float
    """Radius in pixels of the disc that has the source's area."""
    radiance: Floats
    """Linear light of its surface, (3,); 1 is full scale."""
    square: bool = False
    """A pane of a window rather than a disc."""
    gap: float = 0.0
    """Distance in pixels to the next source of the same lamp: its lines are no thinner."""

    def power(self, side: float) -> Floats:
        """Light that it sends to the lens, (3,); 1 is the reference source in that photograph."""
        share = (self.radius / (REFERENCE_RADIUS * side)) ** 2 / REFERENCE_RADIANCE
        return self.radiance * np.float32(share)


@dataclass(frozen=True)
class Glow:
    """The glow around a lamp that belongs to the scene."""

    height: float
    reach: float
    """In radii of the lamp."""


def draw_lights(rng: Rng, frame: Frame, settings: LightSettings, canvas: Floats) -> list[Light]:
    """Draw sources into `canvas` (H, W, 3), *linear* light; return those that cast flare."""
    shape = str(rng.choice(settings.shapes))
    colour = lamp_colour(rng, settings)
    larger = log_uniform(rng, settings.size)
    main_radius = log_uniform(rng, settings.radius) * frame.side * larger
    radiance = log_uniform(rng, settings.radiance) / larger**2
    glow = Glow(uniform(rng, settings.glow), log_uniform(rng, settings.glow_reach))
    turn = uniform(rng, (0, np.pi))
    lights: list[Light] = []
    for number in range(log_integer(rng, settings.count)):
        first = number == 0
        radius = main_radius if first else main_radius * uniform(rng, settings.others)
        outside = first and chance(rng, settings.off_frame)
        x, y = _place(rng, frame, outside=outside)
        if not first and chance(rng, 0.2):
            colour = lamp_colour(rng, settings)
        surface = colour * np.float32(
            radiance * (1 if first else log_uniform(rng, settings.dimmer))
        )
        if shape == "strip":
            length = log_uniform(rng, settings.strip_length) * frame.side
            lights += draw_strip(canvas, (x, y), length, radius, turn, surface)
            continue
        for dx, dy, part in _parts(rng, shape, radius, turn):
            light = Light(x + dx, y + dy, part, surface, square=shape == "window")
            lights.append(light)
            paint(canvas, light, glow)
    return lights


def draw_strip(
    canvas: Floats, middle: Point, length: float, half: float, turn: float, surface: Floats
) -> list[Light]:
    """Draw a long lamp into `canvas` (H, W, 3), *linear* light; return it as a row of sources.

    `half` is half its width. All sources together have its area.
    """
    along = np.array([np.cos(turn), np.sin(turn)])
    ends = [np.array(middle) + side * length / 2 * along for side in (-1, 1)]
    canvas += _bar(canvas.shape[:2], tuple(ends[0]), tuple(ends[1]), half)[..., None] * surface
    radius = (2 * half * length / (np.pi * STRIP_PARTS)) ** 0.5
    shares = (np.arange(STRIP_PARTS) + 0.5) / STRIP_PARTS
    places = [ends[0] + share * (ends[1] - ends[0]) for share in shares]
    gap = length / STRIP_PARTS
    return [Light(float(x), float(y), float(radius), surface, gap=gap) for x, y in places]


def draw_quiet(rng: Rng, frame: Frame, settings: LightSettings, canvas: Floats) -> None:
    """Draw bright things that cast no flare into `canvas` (H, W, 3), *linear* light."""
    for _ in range(integer(rng, settings.quiet)):
        shape = str(rng.choice(settings.shapes))
        radius = log_uniform(rng, settings.quiet_radius) * frame.side
        turn = uniform(rng, (0, np.pi))
        surface = lamp_colour(rng, settings) * np.float32(log_uniform(rng, settings.quiet_radiance))
        x, y = uniform(rng, (0, frame.width)), uniform(rng, (0, frame.height))
        soft = uniform(rng, settings.softness)
        for dx, dy, part in _parts(rng, shape, radius, turn):
            light = Light(x + dx, y + dy, part, surface, square=shape == "window")
            paint(canvas, light, Glow(0.0, 1.0), soft=soft * part)


def draw_bars(rng: Rng, frame: Frame, settings: LightSettings, canvas: Floats) -> None:
    """Draw long thin bright things that cast no flare into `canvas` (H, W, 3), *linear* light.

    Half of them stand upright or lie level, as poles and tubes do; of some, three meet in a point.
    """
    if settings.bars[1] == 0:
        return
    for _ in range(integer(rng, settings.bars)):
        x, y = uniform(rng, (0, frame.width)), uniform(rng, (0, frame.height))
        length = log_uniform(rng, settings.bar_length) * frame.side
        half = log_uniform(rng, settings.bar_width) * frame.side / 2
        surface = lamp_colour(rng, settings) * np.float32(log_uniform(rng, settings.bar_radiance))
        turn = uniform(rng, (0, 2 * np.pi))
        if chance(rng, 0.5):
            turn = np.round(turn / (np.pi / 2)) * np.pi / 2 + float(rng.normal(0, 0.05))
        cover = np.zeros(canvas.shape[:2], np.float32)
        for arm in range(3 if chance(rng, 0.25) else 1):
            angle = turn + arm * 2 * np.pi / 3
            end = (x + length * np.cos(angle), y + length * np.sin(angle))
            np.maximum(cover, _bar(canvas.shape[:2], (x, y), end, half), out=cover)
        canvas += cover[..., None] * surface


def _bar(size: tuple[int, ...], start: Point, end: Point, half: float) -> Floats:
    """How much of each pixel a bar with round ends covers, 0 to 1."""
    across = np.arange(size[1], dtype=np.float32)[None, :] - np.float32(start[0])
    down = np.arange(size[0], dtype=np.float32)[:, None] - np.float32(start[1])
    along = np.array([end[0] - start[0], end[1] - start[1]], np.float32)
    share = np.clip((across * along[0] + down * along[1]) / (along @ along), 0, 1)
    gap = np.hypot(across - share * along[0], down - share * along[1])
    return np.clip(np.float32(half + 0.5) - gap, 0, 1)


def light_up(
    rng: Rng, scene: Floats, lights: list[Light], frame: Frame, settings: LightSettings
) -> None:
    """Brighten the *linear* scene around its strongest lamps, in place: they light it.

    What a lamp lights up keeps its texture; flare has none. That is how the two can be told apart.
    """
    if settings.lit[1] <= 0 or not lights:
        return
    gain = uniform(rng, settings.lit)
    reach = log_uniform(rng, settings.lit_reach) * frame.side
    x, y = np.arange(frame.width, dtype=np.float32), np.arange(frame.height, dtype=np.float32)
    lit = np.ones((frame.height, frame.width, 3), np.float32)
    strongest = sorted(lights, key=lambda light: float(light.power(1).max()), reverse=True)
    top = float(strongest[0].power(1).max())
    for light in strongest[:LIT_BY]:
        dx, dy = (x - np.float32(light.x)) / np.float32(reach), (y - np.float32(light.y)) / reach
        fall = np.float32(gain) / (1 + dx[None, :] ** 2 + dy[:, None] ** 2)
        lit += fall[..., None].astype(np.float32) * (light.power(1) / np.float32(top))
    scene *= lit
    np.clip(scene, 0, 1, out=scene)


def find_lights(scene: Floats, limit: int, radiance: float) -> list[Light]:
    """The largest saturated spots of `scene`, *linear* light: at most `limit` of them.

    A clipped spot does not say how bright it was; what it spills around itself does, in its own
    colour. One that spills as much as `FULL_SPILL` or more gets `radiance`, white paper gets 1.
    """
    block = 8
    height, width = scene.shape[0] // block * block, scene.shape[1] // block * block
    red, green, blue = (scene[:height, :width, channel] for channel in range(3))
    full = (red > SATURATED) & (green > SATURATED) & (blue > SATURATED)
    counts = full.reshape(height // block, block, width // block, block).sum(axis=(1, 3))
    order = np.argsort(counts, axis=None)[::-1][:limit]
    found = []
    for index in order:
        row, column = divmod(int(index), counts.shape[1])
        area = int(counts[row, column])
        if area < 3:
            break
        ys, xs = np.nonzero(full[row * block :, column * block :][:block, :block])
        x, y = column * block + float(xs.mean()), row * block + float(ys.mean())
        radius = (area / np.pi) ** 0.5
        found.append(Light(x, y, radius, _surface(scene, full, x, y, radius, radiance)))
    return found


def _surface(scene: Floats, full: Bools, x: float, y: float, radius: float, most: float) -> Floats:
    """Light of a clipped spot's surface, (3,), by what it spills between one and three radii."""
    room = 3 * radius + 3
    (y0, y1), (x0, x1) = _span(y, room, full.shape[0]), _span(x, room, full.shape[1])
    rest = scene[y0:y1, x0:x1][~full[y0:y1, x0:x1]]
    if not len(rest):
        return np.ones(3, np.float32)
    spill = rest.mean(axis=0) - np.quantile(rest, 0.2, axis=0)
    top = float(spill.max())
    radiance = 1 + (most - 1) * min(top / FULL_SPILL, 1.0)
    colour = np.maximum(spill / np.float32(max(top, 1e-3)), 1 / radiance)
    return (radiance * colour).astype(np.float32)


def lamp_colour(rng: Rng, settings: LightSettings) -> Floats:
    """A lamp's colour: a pure one, or as far from white as the settings let it go."""
    if chance(rng, settings.neon):
        return pure_colour(rng)
    full = LAMP_COLOURS[rng.integers(len(LAMP_COLOURS))]
    return np.float32(1) - np.float32(settings.colour) * (1 - full)


def pure_colour(rng: Rng) -> Floats:
    """*Linear* light of a coloured lamp, (3,): any hue, its darkest channel 0.01 to 0.35."""
    darkest = log_uniform(rng, (PUREST, 0.35))
    hue = uniform(rng, (0, 3))
    distance = np.abs((hue - np.arange(3) + 1.5) % 3 - 1.5)  # of each channel on the colour circle
    level = np.clip(2 - 2 * distance, 0, 1) ** 2
    return (darkest + (1 - darkest) * level).astype(np.float32)


def _place(rng: Rng, frame: Frame, *, outside: bool) -> tuple[float, float]:
    """Inside: upper parts are likelier, as lamps hang high. Outside: close to the border."""
    if not outside:
        return uniform(rng, (0, frame.width)), frame.height * float(rng.beta(1.2, 1.8))
    gap = uniform(rng, (0.02, 0.15)) * frame.side
    along = rng.random()
    if chance(rng, 0.5):
        return along * frame.width, -gap
    return (-gap if chance(rng, 0.5) else frame.width + gap), along * frame.height


def _parts(rng: Rng, shape: str, radius: float, turn: float) -> list[tuple[float, float, float]]:
    """Discs or panes (dx, dy, radius) that make up a source of that shape."""
    if shape == "disc":
        return [(0.0, 0.0, radius)]
    if shape == "tube":
        steps = np.linspace(-1, 1, 5) * radius * uniform(rng, (0.8, 1.5))
        return [(s * np.cos(turn), s * np.sin(turn), radius * 0.4) for s in steps]
    if shape == "window":
        panes = [(i * radius / 2, j * radius / 2) for i in (-1, 1) for j in (-1, 1)]
        return [(dx, dy, radius * 0.45) for dx, dy in panes]
    offsets = rng.normal(0, 1.6 * radius, (integer(rng, (2, 5)), 2))
    return [(dx, dy, radius * uniform(rng, (0.4, 0.8))) for dx, dy in offsets]


def paint(canvas: Floats, light: Light, glow: Glow, soft: float = 0.0) -> None:
    """Add one disc and its glow to the part of `canvas` that they reach.

    `soft` is the width of its rim in pixels, a pixel at least.
    """
    room = glow.reach * light.radius + 3
    y0, y1 = _span(light.y, room, canvas.shape[0])
    x0, x1 = _span(light.x, room, canvas.shape[1])
    if y0 >= y1 or x0 >= x1:
        return
    dx = np.arange(x0, x1, dtype=np.float32)[None, :] - np.float32(light.x)
    dy = np.arange(y0, y1, dtype=np.float32)[:, None] - np.float32(light.y)
    outside = _outside(light, dx, dy)
    core = np.clip(0.5 - outside / np.float32(max(soft, 1.0)), 0, 1)
    gap = np.maximum(outside, 0)
    past = gap / np.float32(max(light.radius, 0.7) * max(glow.reach / 8, 1.0))
    fade = np.clip(1 - gap / np.float32(room - light.radius), 0, 1)
    halo = np.float32(glow.height) * fade * fade / (1 + past * past)
    colour = light.radiance / light.radiance.max()
    canvas[y0:y1, x0:x1] += core[..., None] * light.radiance + halo[..., None] * colour


def _outside(light: Light, dx: Floats, dy: Floats) -> Floats:
    """Distance from the rim of a source, in pixels; negative inside."""
    if not light.square:
        return np.sqrt(dx * dx + dy * dy) - np.float32(light.radius)
    across, down = (np.abs(offset) - np.float32(light.radius) for offset in (dx, dy))
    corner = np.sqrt(np.maximum(across, 0) ** 2 + np.maximum(down, 0) ** 2)
    return corner + np.minimum(np.maximum(across, down), 0)


def _span(centre: float, reach: float, limit: int) -> tuple[int, int]:
    return max(int(centre - reach), 0), min(int(centre + reach) + 2, limit)
