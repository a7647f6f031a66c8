"""pip's settings are read from where pip reads them."""

import os
import sys
from pathlib import Path

import pytest

from semilar.weights import index
from semilar.weights.index import DEFAULT_INDEX, find_link, pip_settings, project_page


def _config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """One configuration file, and none of those this computer has."""
    file = tmp_path / "pip.conf"
    file.write_text(text)
    monkeypatch.setattr(index, "_config_files", lambda: iter([file]))


def test_the_files_pip_reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/own.conf")
    files = list(index._config_files())
    own, environment, user, system = (
        files.index(file)
        for file in (
            Path("/own.conf"),
            Path(sys.prefix) / "pip.conf",
            tmp_path / ".config/pip/pip.conf",
            Path("/etc/pip.conf"),
        )
    )
    assert own < environment < user < system
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    assert list(index._config_files()) == []


def test_the_default_is_pypi() -> None:
    settings = pip_settings()
    assert settings.indexes == (DEFAULT_INDEX,)
    assert settings.folders == ()
    assert settings.certificates is None


def test_variables_win_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _config(tmp_path, monkeypatch, "[global]\nindex-url = https://file/simple\ncert = /c.pem\n")
    assert pip_settings().indexes == ("https://file/simple",)
    monkeypatch.setenv("PIP_INDEX_URL", "https://variable/simple")
    monkeypatch.setenv("PIP_PROXY", "http://proxy:3128")
    settings = pip_settings()
    assert settings.indexes == ("https://variable/simple",)
    assert settings.certificates == "/c.pem"
    assert settings.proxy == "http://proxy:3128"


def test_several_indexes_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _config(
        tmp_path,
        monkeypatch,
        "[global]\nextra-index-url =\n    https://a/simple\n    https://b/simple\n"
        "find-links = /wheels file:///more%20wheels https://web/list\n",
    )
    settings = pip_settings()
    assert settings.indexes == (DEFAULT_INDEX, "https://a/simple", "https://b/simple")
    assert settings.folders == (Path("/wheels"), Path("/more wheels"))


def test_a_command_section_wins_over_global(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _config(
        tmp_path,
        monkeypatch,
        "[global]\nindex-url = https://all/simple\n[install]\nindex-url = https://i/simple\n",
    )
    assert pip_settings().indexes == ("https://i/simple",)


def test_no_index_means_no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert pip_settings().indexes == ()


def test_a_broken_file_is_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _config(tmp_path, monkeypatch, "no section here\n")
    assert pip_settings().indexes == (DEFAULT_INDEX,)


def test_the_page_of_a_package() -> None:
    assert project_page("https://x/simple/", "a-b") == "https://x/simple/a-b/"
    assert project_page("file:///x/simple", "a-b") == "file:///x/simple/a-b/index.html"


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("../../files/a-1.tar.gz#sha256=0", "https://x/files/a-1.tar.gz"),
        ("https://cdn/y/a-1.tar.gz", "https://cdn/y/a-1.tar.gz"),
        ("a-1.tar.gz?token=7", "https://x/simple/a/a-1.tar.gz?token=7"),
        ("other-1.tar.gz", None),
    ],
)
def test_links_are_found_and_made_absolute(href: str, expected: str | None) -> None:
    page = f'<html><a href="b-2.whl">b</a> <a class=q href="{href}">a-1.tar.gz</a></html>'
    assert find_link(page, "https://x/simple/a/", "a-1.tar.gz") == expected
