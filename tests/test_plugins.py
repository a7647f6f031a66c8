"""Another package adds one of each kind without a change in this one."""

import importlib
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from PIL import Image

from semilar.errors import SemilarError
from semilar.evaluate import as_csv, as_json, evaluate, pair_folders, summarize
from semilar.flare import SynthSettings, night_scene, synthesize
from semilar.flare.draws import Rng
from semilar.flare.limits import Settings
from semilar.flare.settings import LensSettings
from semilar.net import build
from semilar.quality.scorers import scorer
from semilar.restore import Remover
from tests.support.models import dimming_model

MODULE = """
import numpy as np
from semilar.evaluate import Metric
from semilar.net import NetInfo, build

INFO = NetInfo(
    builder=lambda **options: build("unet", widths=(4, 8)),
    summary="a guest",
    multiple=32,
    global_context=False,
)

class Brightness:
    name, scale, delta = "brightness", (0.0, 1.0), 0.1
    def __call__(self, batch):
        return batch.mean(dim=(1, 2, 3))

class Half:
    def __init__(self, model, device, threads):
        pass
    def run(self, image):
        return image * np.float32(0.5), image * np.float32(0.5)

ERROR = Metric(
    "mean-error",
    "mean error",
    1,
    lambda one: float(np.abs(one.picture.astype(float) - one.truth).mean()),
    higher_is_better=False,
)
"""
POINTS = """
[semilar.networks]
guest-net = guest_package:INFO
broken-net = guest_package:MISSING
[semilar.scorers]
brightness = guest_package:Brightness
[semilar.engines]
half = guest_package:Half
[semilar.metrics]
mean-error = guest_package:ERROR
"""


@pytest.fixture
def guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution as an installer leaves it: a module and its dist-info."""
    (tmp_path / "guest_package.py").write_text(MODULE)
    info = tmp_path / "guest_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: guest-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    monkeypatch.delitem(sys.modules, "guest_package", raising=False)


@pytest.mark.usefixtures("guest")
def test_one_of_each_is_used_by_its_name(tmp_path: Path) -> None:
    picture = torch.rand(1, 3, 40, 40)
    scene, _ = build("guest-net")(picture)
    assert torch.equal(scene, picture)
    for name in ("brightness", "guest_package:Brightness"):
        assert scorer(name)(picture).item() == pytest.approx(picture.mean().item())
    model = dimming_model(tmp_path / "dim.onnx", keep=0.9)
    result = Remover(model=model, engine="half").remove(np.full((64, 64, 3), 200, np.uint8))
    assert result.image[32, 32, 0] == pytest.approx(100, abs=1)


@pytest.mark.usefixtures("guest")
def test_a_metric_is_measured_compared_and_printed(tmp_path: Path) -> None:
    folders = {}
    for role, level in (("truth", 100), ("result", 103), ("untouched", 120)):
        folders[role] = tmp_path / role
        folders[role].mkdir()
        for name in "ab":
            flat = Image.fromarray(np.full((16, 16, 3), level, np.uint8))
            flat.save(folders[role] / f"{name}.png")
    evaluation = evaluate(pair_folders(folders), with_lpips=False)
    summary = summarize(evaluation)
    assert summary.means["result"]["mean-error"].value == 3
    assert summary.differences["untouched"]["mean-error"].better == 2
    assert "mean-error" in as_csv(evaluation).splitlines()[0]
    facts = as_json(evaluation, summary, mark="x")
    assert facts["metrics"]["mean-error"] == {"label": "mean error", "higher_is_better": False}


@dataclass(frozen=True, kw_only=True)
class Disc(Settings):
    """A type of flare that draws itself."""

    probability: float = 0.0

    def draw(self, rng: Rng, angle: NDArray, distance: NDArray) -> NDArray:
        """See `semilar.flare.lens.DrawsItself`."""
        return np.repeat((distance < 0.1)[..., None] * np.float32(rng.random()), 3, axis=2)


@dataclass(frozen=True, kw_only=True)
class LensWithDisc(LensSettings):
    disc: Disc = Disc()


def test_a_type_of_flare_is_its_settings_and_a_field_of_the_lens() -> None:
    plain = replace(SynthSettings.preset("realistic"), flare_free=0.0)
    lens = {field.name: getattr(plain.lens, field.name) for field in fields(plain.lens)}
    drawn = [
        synthesize(night_scene(1, (64, 64)), seed=5, settings=settings, size=(64, 64)).flare
        for settings in (
            plain,
            replace(plain, lens=LensWithDisc(**lens)),
            replace(plain, lens=LensWithDisc(**lens, disc=Disc(probability=1.0))),
        )
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])  # without it samples stay what they were
    assert np.abs(drawn[2] - drawn[0]).max() > 0.01


@pytest.mark.usefixtures("guest")
def test_names_and_errors_tell_of_them() -> None:
    with pytest.raises(SemilarError, match=r"no such network; .*nafnet-desk, .*guest-net"):
        build("nobody")
    with pytest.raises(
        SemilarError, match=r"broken-net: guest_package:MISSING .* cannot be loaded"
    ):
        build("broken-net")


def test_without_it_the_names_are_unknown() -> None:
    with pytest.raises(SemilarError, match="'brightness'"):
        scorer("brightness")
