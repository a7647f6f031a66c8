"""Where pip would look for a package: its index settings, read without pip.

An environment made by uv has no pip, so the settings are read from the places pip documents:
`PIP_*` variables first, then `pip.conf` of the environment, the user and the system.
"""

import configparser
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

DEFAULT_INDEX = "https://pypi.org/simple"


@dataclass(frozen=True)
class PipSettings:
    """The few of pip's settings that decide where a file comes from and whom to trust."""

    indexes: tuple[str, ...]
    folders: tuple[Path, ...]  # local `find-links` folders
    certificates: str | None
    proxy: str | None


def pip_settings() -> PipSettings:
    """pip's index settings as they apply to this environment."""
    no_index = (_setting("no-index") or "").lower() in {"1", "true", "yes", "on"}
    indexes = [_setting("index-url") or DEFAULT_INDEX, *(_setting("extra-index-url") or "").split()]
    links = [urlsplit(link) for link in (_setting("find-links") or "").split()]
    return PipSettings(
        indexes=() if no_index else tuple(indexes),
        folders=tuple(Path(unquote(link.path)) for link in links if link.scheme in {"", "file"}),
        certificates=_setting("cert"),
        proxy=_setting("proxy"),
    )


def project_page(index: str, package: str) -> str:
    """The address of the page that lists the files of `package`."""
    page = f"{index.rstrip('/')}/{package}/"
    return f"{page}index.html" if page.startswith("file:") else page


def find_link(page: str, address: str, filename: str) -> str | None:
    """The absolute address of `filename` among the links of a project page, if it is there."""
    parser = _Links()
    parser.feed(page)
    for link in parser.found:
        target, _ = urldefrag(urljoin(address, link))
        if unquote(urlsplit(target).path).rpartition("/")[2] == filename:
            return target
    return None


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.found += [value for key, value in attrs if key == "href" and value]


def _setting(key: str) -> str | None:
    if value := os.environ.get(f"PIP_{key.upper().replace('-', '_')}"):
        return value
    for file in _config_files():
        parser = configparser.RawConfigParser()
        try:
            parser.read(file, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue  # pip itself complains about it when it is used
        for section in ("download", "install", "global"):
            if value := parser.get(section, key, fallback="").strip():
                return value
    return None


def _config_files() -> Iterator[Path]:
    """pip's configuration files, the one that wins first."""
    chosen = os.environ.get("PIP_CONFIG_FILE")
    if chosen == os.devnull:
        return
    if chosen:
        yield Path(chosen)
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    yield Path(sys.prefix) / name
    if sys.platform == "win32":
        yield Path(os.environ.get("APPDATA", "")) / "pip" / name
        yield Path(os.environ.get("PROGRAMDATA", "")) / "pip" / name
        return
    if sys.platform == "darwin":
        yield Path.home() / "Library/Application Support/pip" / name
        yield Path("/Library/Application Support/pip") / name
    config = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    yield Path(config) / "pip" / name
    yield Path.home() / ".pip" / name
    yield Path("/etc/xdg/pip") / name
    yield Path("/etc") / name
