"""Nobody hears of a run, and nothing is left in the home folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from semilar.threads import nothing_is_reported
from tests.support.pictures import smooth_picture

REMOVE = "import semilar, sys; semilar.remove(sys.argv[1])"


def test_removing_flare_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    """ONNX Runtime would keep a number for the computer there, and what it has to send."""
    photo, home = tmp_path / "street.png", tmp_path / "home"
    Image.fromarray(smooth_picture()).save(photo)
    home.mkdir()
    # None of the variables by which it knows a build server, where it is silent anyway.
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    places = {name: str(home) for name in ("HOME", "USERPROFILE", "LOCALAPPDATA")}
    subprocess.run([sys.executable, "-c", REMOVE, photo], env=kept | places, check=True)
    assert photo.with_suffix(".deflared.png").exists()
    assert list(home.rglob("*")) == []


def test_ray_reports_nothing_unless_the_person_wants_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from ray._common.usage import usage_lib

    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    nothing_is_reported()
    assert not usage_lib.usage_stats_enabled()
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")
    nothing_is_reported()
    assert usage_lib.usage_stats_enabled()
