"""The named settings."""

from semilar.errors import SemilarError
from semilar.flare.settings import (
    BackgroundSettings,
    GhostSettings,
    GlowSettings,
    HaloSettings,
    LensSettings,
    NightSettings,
    ShimmerSettings,
    StreakSettings,
    SynthSettings,
    WaveSettings,
)

_NIGHT = BackgroundSettings(
    gain=(0.7, 1.2), noise=0.003, noise_law="deviation", zoom=(0.3, 1.0), night=NightSettings()
)


PRESETS: dict[str, SynthSettings] = {
    "realistic": SynthSettings(name="realistic", flare_free=0.15, background=_NIGHT),
    "strong": SynthSettings(
        name="strong", background=_NIGHT, lens=LensSettings(strength=(2.0, 8.0))
    ),
    "protocol": SynthSettings(name="protocol"),
    "lens-a": SynthSettings(
        name="lens-a",
        background=_NIGHT,
        lens=LensSettings(
            strength=(1.0, 3.0),
            streak=StreakSettings(probability=1.0, axes=(0.0, 1.0, 0.0), rainbow=(0.6, 1.0)),
            shimmer=ShimmerSettings(probability=0.0),
            halo=HaloSettings(probability=0.0),
            ghost=GhostSettings(probability=0.1),
            wave=WaveSettings(probability=0.0),
        ),
    ),
    "lens-b": SynthSettings(
        name="lens-b",
        background=_NIGHT,
        lens=LensSettings(
            strength=(1.0, 3.0),
            glow=GlowSettings(probability=1.0, height=(0.1, 0.3)),
            shimmer=ShimmerSettings(probability=1.0),
            streak=StreakSettings(probability=0.0),
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
