"""The named settings."""

from dataclasses import replace

from semilar.errors import SemilarError
from semilar.flare.settings import (
    BackgroundSettings,
    CameraSettings,
    GhostSettings,
    GlowSettings,
    HaloSettings,
    LensSettings,
    LightSettings,
    NightSettings,
    ShimmerSettings,
    SmearSettings,
    StreakSettings,
    SynthSettings,
    VeilSettings,
    WaveSettings,
)

_NIGHT = BackgroundSettings(
    gain=(0.7, 1.2), noise=0.003, noise_law="deviation", zoom=(0.3, 1.0), night=NightSettings()
)
# What a smeared lens is seen in front of: dark parks and streets, walls lit by their lamp, and one
# warm or cold light over all of it. In the strong real pairs the colours of scene and flare go
# together (correlation 0.84 of the logarithm of blue over red); hardly a flare is pink or violet.
_STREET = replace(
    _NIGHT,
    cast=0.05,
    temperature=1.55,
    night=NightSettings(probability=0.95, exposure=(0.003, 0.18)),
)
_PHONE = CameraSettings(lift=(0.0, 0.03), contrast=(-0.2, 0.7), shot=(0.0, 0.0003), jpeg=0.25)
# The lamp stays with the small glow that belongs to it; a large glow is the lens's.
_LAMPS = LightSettings(
    count=(1, 4),
    glow=(0.0, 0.2),
    glow_reach=(2.0, 6.0),
    colour=1.0,
    adopt=4,
    lit=(0.0, 4.0),
    quiet=(0, 2),
)
_NO_STREAK = StreakSettings(probability=0.0)
# Grease of all sizes: a bright peak with tails that reach far.
_TAILED = GlowSettings(
    probability=0.97, height=(0.55, 1.2), core=(0.012, 0.05), exponent=(1.1, 2.3), blue=0.7
)

# Tuned on the strong real pairs (tools/flare_realism.py). Between its streaks their glow falls like
# exp(-r / 0.14 short sides), much alike from lens to lens, so it is a veil with an end and no power
# law; a share of fogged lenses has a flat wide glow above it. Streaks are soft, white or in the
# lamp's colour, and fall to a fifth from 0.05 to 0.45 short sides.
_SMEARED = SynthSettings(
    name="smeared",
    background=_STREET,
    camera=_PHONE,
    lights=replace(
        _LAMPS,
        count=(1, 3),
        colour=0.2,
        neon=0.02,
        shapes=(*["disc"] * 8, "tube", "window"),
        radius=(0.0107, 0.0123),
        radiance=(12.0, 14.0),
        others=(0.1, 0.4),
        adopt=2,
        off_frame=0.045,
    ),
    lens=LensSettings(
        strength=(2.2, 2.45),
        extreme=0.19,
        extremes=(0.07, 2.6),
        glow=GlowSettings(
            probability=0.06, height=(0.35, 0.9), core=(0.07, 0.25), exponent=(2.0, 3.5), blue=0.2
        ),
        veil=VeilSettings(
            probability=0.97, height=(0.14, 0.18), reach=(0.065, 0.145), edge=(0.6, 1.3), uneven=0.5
        ),
        smear=SmearSettings(
            probability=0.5,
            height=(0.45, 0.75),
            wipes=(0.52, 0.33, 0.15),
            spread=(0.06, 120.0),
            core=(0.05, 0.3),
            falloff=(0.5, 1.5),
            length=(0.4, 1.5),
            fibres=(0.0, 0.6),
            foot=(0.0, 0.15),
            dispersion=(0.0, 0.12),
            tint=0.05,
        ),
        shimmer=ShimmerSettings(probability=0.4, height=(0.05, 0.4), length=(0.04, 0.25)),
        streak=StreakSettings(
            probability=0.82,
            axes=(0.32, 0.2, 0.48),
            height=(0.8, 1.1),
            length=(0.5, 2.0),
            falloff=(0.3, 1.5),
            rainbow=(0.0, 0.1),
            tint=0.05,
            width=(0.02, 0.28),
            spread=(0.0, 0.04),
            one_sided=0.1,
            broken=0.05,
            skirt=(0.1, 0.5),
        ),
        halo=HaloSettings(probability=0.1),
        ghost=GhostSettings(probability=0.15),
        wave=WaveSettings(probability=0.25, height=(0.02, 0.3), tint=0.1),
    ),
)

_STREAKED = replace(
    _SMEARED,
    name="streaked",
    lens=replace(
        _SMEARED.lens,
        glow=replace(_TAILED, probability=0.4),
        veil=VeilSettings(probability=0.2, height=(0.02, 0.1)),
        smear=SmearSettings(probability=0.3),
        streak=replace(
            _SMEARED.lens.streak, probability=1.0, axes=(0.45, 0.4, 0.15), rainbow=(0.0, 0.5)
        ),
    ),
)

# Four-pointed stars as a woven film or a display's pixels make them: crisp bright lines in rainbow
# colours, as wide as their lamp, over scenes whose own glow stays.
_STARRED = SynthSettings(
    name="starred",
    background=replace(_NIGHT, night=NightSettings(probability=0.75)),
    camera=CameraSettings(lift=(0.0, 0.03), contrast=(-0.2, 0.5)),
    lights=LightSettings(size=(1.0, 3.0)),
    lens=LensSettings(
        strength=(0.6, 4.0),
        streak=StreakSettings(
            probability=1.0,
            axes=(0.15, 0.7, 0.15),
            height=(0.4, 2.0),
            length=(0.6, 2.5),
            falloff=(0.2, 1.2),
            rainbow=(0.4, 1.0),
            width=(0.25, 2.0),
            spread=(0.0, 0.015),
            skirt=(0.0, 0.05),
            tint=0.3,
            one_sided=0.1,
            broken=0.05,
        ),
    ),
)

_VEILED = replace(
    _SMEARED,
    name="veiled",
    lens=replace(
        _SMEARED.lens,
        strength=(0.5, 3.0),
        glow=_TAILED,
        veil=VeilSettings(probability=1.0, height=(0.05, 0.4), edge=(0.6, 2.5)),
        smear=SmearSettings(probability=0.3, height=(0.05, 0.5), spread=(5.0, 40.0)),
        streak=_NO_STREAK,
        shimmer=ShimmerSettings(probability=0.6),
        halo=HaloSettings(probability=0.3, height=(0.005, 0.08)),
    ),
)

_GHOSTS = replace(
    _SMEARED,
    name="ghosts",
    lens=replace(
        _SMEARED.lens,
        strength=(0.5, 2.0),
        glow=_TAILED,
        veil=VeilSettings(probability=0.3, height=(0.005, 0.05)),
        smear=SmearSettings(probability=0.3, height=(0.05, 0.8)),
        streak=_NO_STREAK,
        ghost=GhostSettings(probability=1.0, count=(1, 8), height=(0.005, 0.15)),
        halo=HaloSettings(probability=0.4, height=(0.003, 0.05)),
    ),
)

_DAYLIGHT = replace(
    _SMEARED,
    name="daylight",
    flare_free=0.2,
    background=replace(_NIGHT, cast=0.05, night=NightSettings(probability=0.0)),
    lights=LightSettings(
        count=(1, 1), radius=(0.01, 0.04), colour=0.3, off_frame=0.3, adopt=0, quiet=(0, 0)
    ),
    lens=replace(
        _SMEARED.lens,
        strength=(0.15, 1.0),
        glow=_TAILED,
        veil=VeilSettings(probability=0.5, height=(0.01, 0.2), reach=(0.3, 1.5)),
        ghost=GhostSettings(probability=0.4),
    ),
)

PRESETS: dict[str, SynthSettings] = {
    "realistic": SynthSettings(
        name="realistic",
        flare_free=0.15,
        background=_NIGHT,
        camera=CameraSettings(lift=(0.0, 0.03), contrast=(-0.2, 0.5)),
    ),
    "strong": SynthSettings(
        name="strong", background=_NIGHT, lens=LensSettings(strength=(2.0, 8.0))
    ),
    "smeared": _SMEARED,
    "streaked": _STREAKED,
    "starred": _STARRED,
    "veiled": _VEILED,
    "ghosts": _GHOSTS,
    "daylight": _DAYLIGHT,
    "clear": replace(_SMEARED, name="clear", flare_free=1.0),
    "protocol": SynthSettings(name="protocol"),
    "lens-a": SynthSettings(
        name="lens-a",
        flare_free=0.1,
        background=_NIGHT,
        lights=LightSettings(count=(1, 4)),
        lens=LensSettings(
            strength=(3.0, 8.0),
            glow=GlowSettings(probability=1.0),
            streak=StreakSettings(
                probability=1.0, axes=(0.0, 1.0, 0.0), rainbow=(0.6, 1.0), width=(0.05, 4.0)
            ),
            shimmer=ShimmerSettings(probability=0.0),
            halo=HaloSettings(probability=0.0),
            ghost=GhostSettings(probability=0.1),
            wave=WaveSettings(probability=0.0),
        ),
    ),
    "lens-b": SynthSettings(
        name="lens-b",
        background=_NIGHT,
        lights=LightSettings(count=(1, 4)),
        lens=LensSettings(
            strength=(4.0, 10.0),
            glow=GlowSettings(probability=1.0, height=(0.1, 0.3)),
            shimmer=ShimmerSettings(probability=1.0),
            streak=_NO_STREAK,
            halo=HaloSettings(probability=0.6),
            ghost=GhostSettings(probability=0.6),
            wave=WaveSettings(probability=0.0),
        ),
    ),
}


def preset(name: str) -> SynthSettings:
    """The settings of that name; an unknown name is an error that lists the known ones."""
    if name not in PRESETS:
        raise SemilarError(f"{name}: no such preset; there are {', '.join(PRESETS)}.")
    return PRESETS[name]
