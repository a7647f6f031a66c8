"""pip's settings reach uv, which does not read them itself."""

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
