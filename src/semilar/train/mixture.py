"""Mixtures of flares: each picture comes from one of several presets, by their shares."""

from collections.abc import Sequence

import numpy as np

from semilar.data.labeled import synth_settings
from semilar.data.order import derived_seed
from semilar.flare import SynthSettings
from semilar.train.recipe import Synth

_CHOICE = 1  # sets the choice of a preset apart from what the preset draws from the same seed


class Populations:
    """The presets of a mixture, ready to draw from; wrong names are errors right here."""

    def __init__(self, mixture: Sequence[Synth]) -> None:
        self._settings = [synth_settings(synth.preset, synth.changes) for synth in mixture]
        shares = np.array([synth.share for synth in mixture])
        self._ends = np.cumsum(shares / shares.sum())[:-1]

    def draw(self, seed: int) -> SynthSettings:
        """The settings of the picture made from that seed; the same seed gives the same ones."""
        if not self._ends.size:
            return self._settings[0]
        value = np.random.default_rng(derived_seed(seed, _CHOICE)).random()
        return self._settings[int(np.searchsorted(self._ends, value, side="right"))]
