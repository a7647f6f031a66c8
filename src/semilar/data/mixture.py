"""Mixtures of flares: each picture comes from one of several settings, by their shares."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from semilar.config import Above0, Part
from semilar.data.order import derived_seed
from semilar.errors import SemilarError
from semilar.flare import SynthSettings, to_mapping

_CHOICE = 1  # sets the choice of a preset apart from what the preset draws from the same seed


class Synth(Part):
    """Settings of the simulator and their share of a mixture.

    A recipe names a preset and the numbers that differ from it (`changes`); what it prints has all
    numbers (`settings`), so that it means the same when a preset is tuned. `changes` go over
    `settings`, `settings` over the preset.

    >>> Synth(preset="strong", changes={"lens": {"strength": [1, 4]}}).settings.lens.strength
    (1.0, 4.0)
    """

    preset: str = "realistic"
    share: Above0 = 1.0
    """Weight among the settings of a mixture; they need not add up to 1."""
    settings: SynthSettings = Field(
        default_factory=SynthSettings, validation_alias=AliasChoices("changes", "settings")
    )

    def __init__(self, **values: Any) -> None:  # what pydantic takes, for those who read types
        super().__init__(**values)

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, values: Any) -> Any:
        """Put all settings where `changes` was: an error names the key as it was written."""
        if not isinstance(values, Mapping):
            return values
        whole = dict(values)
        try:
            preset = SynthSettings.preset(str(whole.get("preset", "realistic")))
        except SemilarError as error:
            raise ValueError(str(error).rstrip(".")) from None
        given = whole.pop("settings", {})
        given = to_mapping(given) if isinstance(given, SynthSettings) else given
        whole["changes"] = _over(_over(to_mapping(preset), given), whole.get("changes", {}))
        return whole


def _over(base: Any, changes: Any) -> Any:
    """`changes` over `base`, at any depth."""
    if not isinstance(base, Mapping) or not isinstance(changes, Mapping):
        return changes
    return {**base, **{key: _over(base.get(key), value) for key, value in changes.items()}}


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


Mixture = Annotated[tuple[Synth, ...], Field(min_length=1), BeforeValidator(_as_list)]
"""One preset or a list of them: each picture is drawn from one, by the shares."""


class Populations:
    """The settings of a mixture, ready to draw from."""

    def __init__(self, mixture: Sequence[Synth]) -> None:
        self._settings = [synth.settings for synth in mixture]
        shares = np.array([synth.share for synth in mixture])
        self._ends = np.cumsum(shares / shares.sum())[:-1]

    def draw(self, seed: int) -> SynthSettings:
        """The settings of the picture made from that seed; the same seed gives the same ones."""
        if not self._ends.size:
            return self._settings[0]
        value = np.random.default_rng(derived_seed(seed, _CHOICE)).random()
        return self._settings[int(np.searchsorted(self._ends, value, side="right"))]
