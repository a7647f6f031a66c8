"""pip's settings reach uv, which does not read them itself."""

import sys
import tempfile
from pathlib import Path

import pytest

from tools import install


def test_settings_come_from_the_environment_and_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "pip.conf"
    config.write_text("[global]\nindex-url = https://mirror.example/simple\nfind-links = /old\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels /more")
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    settings = install.pip_settings()
    assert ("find-links", "/wheels") in settings
    assert ("find-links", "/more") in settings
    assert ("find-links", "/old") not in settings  # the environment wins, as in pip
    assert ("index-url", "https://mirror.example/simple") in settings


def test_the_tested_torch_is_pinned_without_a_local_build_tag() -> None:
    """`2.13.0+cpu` would tie everyone to one build; the plain pin lets a machine's own win."""
    pins = (install.ROOT / "constraints.txt").read_text().splitlines()
    (torch,) = (line for line in pins if line.startswith("torch=="))
    assert "+" not in torch


@pytest.mark.parametrize(
    ("place", "temporary"),
    [
        ("/opt/wheels", False),
        ("https://mirror.example/tmp/wheels", False),
        ("/tmp/wheels", True),
        ("file:///var/tmp/a%20b", True),
        ("/opt/../tmp/wheels", True),
        (f"{tempfile.gettempdir()}/deep/er", True),
    ],
)
def test_wheels_in_temporary_folders_are_left_aside(
    place: str, temporary: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install, "pip_settings", lambda: [("find-links", place)])
    assert install.options() == ([] if temporary else ["--find-links", place])
    assert (place in capsys.readouterr().err) == temporary


def test_only_the_chosen_settings_reach_pip_and_uv() -> None:
    given = {"PIP_FIND_LINKS": "/tmp/w", "UV_EXTRA_INDEX_URL": "file:///x", "PYTHONPATH": "/y"}
    kept = install.environment({**given, "PATH": "/bin", "PIP_CERT": "/certificates"})
    assert not given.keys() & kept.keys()
    assert (kept["PATH"], kept["SSL_CERT_FILE"]) == ("/bin", "/certificates")
    assert kept["UV_NO_CONFIG"] == "1"


def test_packages_outside_the_environment_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert install.why_not_here() is None
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    (tmp_path / "pyvenv.cfg").write_text("include-system-site-packages = true\n")
    assert "sees packages outside" in str(install.why_not_here())
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert "not a virtual environment" in str(install.why_not_here())
