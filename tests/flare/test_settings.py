"""Settings: named, typed, presets by name, to JSON and back."""

import dataclasses
import json

import pytest

from semilar.errors import SemilarError
from semilar.flare import SynthSettings
from semilar.flare.mapping import from_mapping, to_mapping
from semilar.flare.presets import PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_presets_survive_json(name):
    settings = SynthSettings.preset(name)
    assert settings.name == name
    assert from_mapping(json.loads(json.dumps(to_mapping(settings)))) == settings


def test_unknown_preset_lists_the_known_ones():
    with pytest.raises(SemilarError, match=r"sunny: no such preset; there are realistic, strong"):
        SynthSettings.preset("sunny")


def test_unknown_setting_names_its_place():
    with pytest.raises(SemilarError, match=r"settings.lens.glow.hight: no such setting"):
        from_mapping({"lens": {"glow": {"hight": 1}}})


def test_settings_cannot_be_changed_by_accident():
    settings = SynthSettings.preset("realistic")
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.flare_free = 0.5  # type: ignore[misc]


def ranges(settings, where=""):
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        if dataclasses.is_dataclass(value):
            yield from ranges(value, f"{where}{field.name}.")
        elif isinstance(value, tuple) and len(value) == 2:
            yield f"{where}{field.name}", value


@pytest.mark.parametrize("name", PRESETS)
def test_ranges_are_in_order(name):
    found = dict(ranges(SynthSettings.preset(name)))
    assert len(found) > 30
    assert all(low <= high for low, high in found.values() if isinstance(low, int | float))
    assert sum(SynthSettings.preset(name).lens.streak.axes) == pytest.approx(1)
