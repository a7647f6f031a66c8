"""Another package adds a network, a scorer and an engine without a change in this one."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from semilar.errors import SemilarError
from semilar.net import build
from semilar.quality.scorers import scorer
from semilar.restore import Remover
from tests.support.models import dimming_model

MODULE = """
import numpy as np
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
"""
POINTS = """
[semilar.networks]
guest-net = guest_package:INFO
broken-net = guest_package:MISSING
[semilar.scorers]
brightness = guest_package:Brightness
[semilar.engines]
half = guest_package:Half
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
    assert scorer("brightness")(picture).item() == pytest.approx(picture.mean().item())
    model = dimming_model(tmp_path / "dim.onnx", keep=0.9)
    result = Remover(model=model, engine="half").remove(np.full((64, 64, 3), 200, np.uint8))
    assert result.image[32, 32, 0] == pytest.approx(100, abs=1)


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
