"""Every number of the synthesis, named and typed; presets by name.

Ranges are (low, high) pairs drawn uniformly unless a comment says otherwise. Lengths are shares
of the photograph's short side, so that a preset means the same at every picture size.
"""

from dataclasses import dataclass, field
from typing import Literal

from semilar.flare.limits import Amount, Counts, LogRange, Range, Settings, Share

Shape = Literal["disc", "tube", "cluster", "window", "strip"]


@dataclass(frozen=True, kw_only=True)
class NightSettings(Settings):
    """Turns a day photograph into a dark scene: less exposure, more contrast, colder or warmer."""

    probability: Share = 1.0
    exposure: LogRange = (0.03, 0.35)
    """Mean linear brightness that the scene is brought down to (never up); log-uniform."""
    contrast: Range = (1.0, 1.5)
    """Power applied to linear light."""
    tint: Amount = 0.25
    """Largest relative change of a colour channel."""


@dataclass(frozen=True, kw_only=True)
class BackgroundSettings(Settings):
    """What happens to the scene before light and flare are added."""

    gamma: Range = (1.8, 2.2)
    """Exponent that makes encoded values linear (paper, appendix B)."""
    gain: Range = (0.5, 1.2)
    """Factor on the linear RGB values (paper, appendix B)."""
    noise: Amount = 0.01
    """Scale of the chi-square law of the noise (paper, appendix B)."""
    noise_law: Literal["variance", "deviation"] = "variance"
    """`variance`: sigma^2 = noise * chi2 (paper). `deviation`: sigma = noise * chi2."""
    zoom: Range = (0.0, 0.0)
    """0 is a crop pixel by pixel, 1 the largest possible crop, shrunk."""
    flip: bool = True
    cast: Amount = 0.0
    """Colour cast of the whole photograph, lamps and flare included: deviation of the logarithm of
    each channel, as the white balance of a camera errs."""
    temperature: Amount = 0.0
    """The same along the colours of lamps, from warm to cold: scale of the Laplace law of the
    logarithm of blue over red. One kind of lamp lights a street, and the camera seldom makes it
    white."""
    warmer: Range = (0.0, 0.0)
    """How much warmer the scene is than the flare over it: difference of their logarithms, to base
    2, of blue over red. Walls and leaves swallow blue, glass scatters it."""
    night: NightSettings = NightSettings(probability=0.0)


@dataclass(frozen=True, kw_only=True)
class CameraSettings(Settings):
    """What the camera does after the light has fallen on it."""

    lift: Range = (0.0, 0.0)
    """Linear light that is everywhere in the scene itself (mist, a matte picture style): it stays,
    so that not every grey black is taken for a veil."""
    saturation: Range = (0.0, 0.0)
    """How much farther from grey colours are made, 1 is twice as far: what that leaves less than
    nothing of a channel is black in it. A street at night has no blue."""
    black: Range = (0.0, 0.0)
    """Share of the scene that comes out black; mostly little. Flare lifts it out of the black."""
    contrast: Range = (0.0, 0.0)
    """Strength of the S-shaped tone curve on *encoded* light; 0 is none."""
    mixing: Range = (0.0, 0.0)
    """Above 0, tone-mapped composition (Zhou et al., ICCV 2023): bright flare takes the place of
    the scene instead of adding to it. The steepness of the weight's curve; theirs is 3 to 7."""
    shot: Range = (0.0, 0.0)
    """Variance of the noise that the flare's own light adds, per unit of linear light."""
    jpeg: Share = 0.0
    """Share of samples that are compressed, input and target alike."""
    quality: Counts = (65, 96)
    """JPEG quality of those."""


@dataclass(frozen=True, kw_only=True)
class LightSettings(Settings):
    """Light sources drawn into the scene, and those found in it."""

    count: Counts = (1, 8)
    """How many lights, log-uniform; the first is the main one, the others are smaller."""
    radius: LogRange = (0.006, 0.018)
    """Radius of the main light, drawn log-uniformly."""
    size: LogRange = (1.0, 2.5)
    """By this factor lamps are larger and as much dimmer, with the same flux: a globe instead of a
    bulb; log-uniform."""
    others: Range = (0.06, 0.8)
    """Radius of the other lights, as a share of the main one."""
    dimmer: LogRange = (0.25, 1.0)
    """Radiance of the other lights, as a share of the main one; log-uniform."""
    radiance: LogRange = (8.0, 20.0)
    """Linear light of a lamp's surface, 1 is full scale, before `size`; log-uniform."""
    shapes: tuple[Shape, ...] = ("disc", "tube", "cluster", "window")
    """A `strip` is a long lamp: the radius is half its width, and it is as bright all along."""
    strip_length: LogRange = (0.1, 0.6)
    """Length of one, in short sides; log-uniform."""
    glow: Range = (0.1, 0.6)
    """Height of the glow around a lamp that belongs to the scene: mist, a lit wall, its globe."""
    glow_reach: LogRange = (6.0, 30.0)
    """How far that glow reaches, in radii of the lamp; log-uniform."""
    colour: Amount = 0.8
    """How far lamp colours go from white; 1 is the full tint of sodium and neon."""
    neon: Share = 0.06
    """Share of lamps in a pure colour: signs, coloured LEDs. They clip to white, their flare does
    not."""
    off_frame: Share = 0.1
    """Share of samples whose main light lies outside the picture."""
    adopt: int = 6
    """At most this many bright spots of the photograph itself cast flare too."""
    lit: Range = (0.0, 0.0)
    """How many times brighter the scene right behind a lamp becomes: what it lights up stays."""
    lit_reach: LogRange = (0.05, 0.4)
    """Distance at which that has fallen to a half, in short sides; log-uniform."""
    same_light: Share = 0.0
    """Share of pictures whose whole scene is lit by the main lamp, in its colour."""
    quiet: Counts = (0, 5)
    """How many bright things that cast no flare: reflections on a floor, lit panes, signs."""
    quiet_radius: LogRange = (0.006, 0.06)
    """Radius of such a thing; log-uniform."""
    quiet_radiance: LogRange = (0.3, 4.0)
    """Linear light of its surface; log-uniform."""
    softness: Range = (0.0, 1.8)
    """Width of its rim, as a share of its radius."""
    bars: Counts = (0, 0)
    """How many long thin bright things that are no streaks and stay: tube lamps, single or three in
    a star, poles and rails in the light."""
    bar_length: LogRange = (0.08, 0.9)
    """Length of one, in short sides; log-uniform."""
    bar_width: LogRange = (0.004, 0.03)
    """Its width; log-uniform."""
    bar_radiance: LogRange = (0.15, 6.0)
    """Linear light of its surface; log-uniform."""


@dataclass(frozen=True, kw_only=True)
class GlowSettings(Settings):
    """Smooth glow around every source: height / (1 + (r / core)^2)^(exponent / 2)."""

    probability: Share = 0.35
    height: LogRange = (0.03, 0.15)
    core: LogRange = (0.01, 0.05)
    exponent: Range = (2.4, 4.2)
    blue: Amount = 0.3
    """Largest share by which the outer glow turns blue."""


@dataclass(frozen=True, kw_only=True)
class VeilSettings(Settings):
    """Haze on the glass: a wide glow with an end, height exp(-(r / reach)^edge), uneven around."""

    probability: Share = 0.0
    height: LogRange = (0.01, 0.15)
    reach: LogRange = (0.2, 1.2)
    """Distance at which it has fallen to a third; log-uniform."""
    edge: Range = (0.6, 2.0)
    """Small: a sharp peak with a long tail; large: a flat disc of light."""
    uneven: Amount = 0.3
    """Largest relative difference between two sides."""


@dataclass(frozen=True, kw_only=True)
class SmearSettings(Settings):
    """Grease wiped in one direction: a bow tie of fine rays across the wipe (`flare.smear`)."""

    probability: Share = 0.0
    wipes: tuple[Share, ...] = (0.75, 0.2, 0.05)
    """Probability of one direction, two and three."""
    height: LogRange = (0.2, 2.5)
    """Linear light close to the reference source; log-uniform."""
    spread: LogRange = (0.6, 25.0)
    """Half opening of the bow tie in degrees; log-uniform."""
    core: LogRange = (0.02, 0.25)
    """Distance up to which the light hardly falls, in short sides; log-uniform."""
    falloff: Range = (0.6, 2.2)
    """Exponent of the fall-off beyond."""
    length: LogRange = (0.3, 2.0)
    """Where the rays end, in short sides; log-uniform."""
    fibres: Range = (0.0, 1.0)
    """Contrast of the fine rays."""
    foot: Range = (0.0, 0.25)
    """Height of the wide foot under the bow tie, relative to its middle."""
    bend: Amount = 0.25
    """Largest turn of the rays over one short side, in radians: a wipe is seldom straight."""
    one_sided: Share = 0.1
    dispersion: Range = (0.0, 0.25)
    """How much farther red light is thrown than blue; 0.3 is that of a grating."""
    tint: Amount = 0.25
    """Largest relative change of red and blue, one up, one down."""


@dataclass(frozen=True, kw_only=True)
class ShimmerSettings(Settings):
    """Fine rays in all directions whose length varies with the angle."""

    probability: Share = 0.4
    height: LogRange = (0.03, 0.4)
    rays: Counts = (20, 120)
    length: Range = (0.05, 0.3)


@dataclass(frozen=True, kw_only=True)
class StreakSettings(Settings):
    """Streaks and stars: lines through every source with rainbow dispersion along them."""

    probability: Share = 0.9
    axes: tuple[Share, ...] = (0.25, 0.6, 0.15)
    """Probability of one line, two (a four-pointed star) and three (six-pointed)."""
    height: LogRange = (0.3, 1.2)
    """Linear light of the line close to the reference source; log-uniform."""
    length: LogRange = (0.3, 2.0)
    falloff: Range = (0.5, 1.9)
    """Exponent of the fall-off along the line."""
    rainbow: Range = (0.6, 1.0)
    """Contrast of the interference colours."""
    period: Range = (0.03, 0.12)
    """Distance of two neighbouring rainbow orders, green light."""
    width: LogRange = (0.05, 22.0)
    """Width of the line, as a multiple of the source's radius; log-uniform."""
    spread: Range = (0.0, 0.12)
    """Widening of the line per unit of its length."""
    one_sided: Share = 0.2
    broken: Share = 0.15
    skirt: Range = (0.0, 0.1)
    """Height of the wide foot of the line's profile, relative to its middle."""
    tint: Amount = 0.7
    """Largest relative change of red and blue, one up, one down; alike for all lines of a lens."""
    focal: Range = (0.6, 1.4)
    """Focal length over the short side: bends the lines away from the optical centre."""


@dataclass(frozen=True, kw_only=True)
class HaloSettings(Settings):
    """A ring around every source."""

    probability: Share = 0.15
    height: LogRange = (0.002, 0.02)
    radius: Range = (0.08, 0.35)
    width: Range = (0.05, 0.25)


@dataclass(frozen=True, kw_only=True)
class GhostSettings(Settings):
    """Reflections on the line through the optical centre."""

    probability: Share = 0.3
    count: Counts = (1, 5)
    height: LogRange = (0.002, 0.03)
    radius: LogRange = (0.02, 0.15)
    rim: Range = (0.0, 2.0)
    blades: Counts = (5, 9)
    arc: Share = 0.4
    """Share of ghosts of which only a crescent is left."""


@dataclass(frozen=True, kw_only=True)
class WaveSettings(Settings):
    """Scattering by wave optics, taken from a bank of point-spread functions."""

    probability: Share = 0.2
    height: LogRange = (0.01, 0.2)
    """Mean linear light at an eighth of the radius, for a source of reference flux."""
    radius: LogRange = (0.1, 0.6)
    tint: Amount = 0.3
    """Largest relative change of a colour channel."""
    bank: int = 16
    """How many point-spread functions the bank holds."""


@dataclass(frozen=True, kw_only=True)
class LensSettings(Settings):
    """The lens that all sources of one picture share."""

    strength: LogRange = (0.7, 1.9)
    """Common factor of all its flare; log-uniform."""
    extreme: Share = 0.0
    """Share of lenses that are weaker or stronger still, by a factor of `extremes`."""
    extremes: LogRange = (0.2, 3.0)
    glow: GlowSettings = GlowSettings()
    veil: VeilSettings = VeilSettings()
    smear: SmearSettings = SmearSettings()
    shimmer: ShimmerSettings = ShimmerSettings()
    streak: StreakSettings = StreakSettings()
    halo: HaloSettings = HaloSettings()
    ghost: GhostSettings = GhostSettings()
    wave: WaveSettings = WaveSettings()


@dataclass(frozen=True, kw_only=True)
class PatternSettings(Settings):
    """What happens to a pattern from disk (paper, appendix B).

    Angles are degrees; lengths are pixels of the published 512 crop of a 1440 pattern.
    """

    rotation: Range = (0.0, 360.0)
    translation: Range = (-300.0, 300.0)
    shear: Range = (-20.0, 20.0)
    scale: Range = (0.8, 1.5)
    blur: Range = (0.1, 3.0)
    flip: bool = True
    offset: Range = (-0.02, 0.02)
    brightness: Range = (0.8, 3.0)
    """Factor of the flare's colour jitter."""
    reflective: Share = 0.0
    """Share of samples that get a reflective pattern too, where the folder has some."""


@dataclass(frozen=True, kw_only=True)
class SynthSettings(Settings):
    """Everything `synthesize` draws from. `SynthSettings.preset(name)` gives the named ones."""

    name: str = "custom"
    flare_free: Share = 0.0
    """Share of samples that have lights and no flare."""
    crop: Range = (0.5, 1.0)
    """Share of the photograph's side that the picture shows."""
    background: BackgroundSettings = field(default_factory=BackgroundSettings)
    camera: CameraSettings = field(default_factory=CameraSettings)
    lights: LightSettings = field(default_factory=LightSettings)
    lens: LensSettings = field(default_factory=LensSettings)
    pattern: PatternSettings = field(default_factory=PatternSettings)

    @classmethod
    def preset(cls, name: str) -> "SynthSettings":
        """One of the named presets; see `semilar.flare.presets`."""
        from semilar.flare.presets import preset

        return preset(name)
