"""The cache folder: `SEMILAR_HOME`, else the platform's own place for caches."""

import os
import sys
from pathlib import Path


def home() -> Path:
    """The folder for fetched weights. It may not exist yet.

    `SEMILAR_HOME` wins; then `XDG_CACHE_HOME/semilar`; then `%LOCALAPPDATA%\\semilar` on Windows
    and `~/.cache/semilar` elsewhere.
    """
    if chosen := os.environ.get("SEMILAR_HOME"):
        return Path(chosen).expanduser()
    if cache := os.environ.get("XDG_CACHE_HOME"):
        return Path(cache) / "semilar"
    local = os.environ.get("LOCALAPPDATA")
    if sys.platform == "win32" and local:
        return Path(local) / "semilar"
    return Path.home() / ".cache" / "semilar"


def cached(name: str) -> Path:
    """Where the fetched weights called `name` are kept, whether they are there or not."""
    return home() / "weights" / f"{name}.safetensors"


def models_folder() -> Path:
    """Where the person's own models are kept. It may not exist yet."""
    return home() / "models"
