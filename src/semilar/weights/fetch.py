"""Fetching weights: one download, everything in it kept, the archive thrown away."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from semilar.errors import DownloadError, ModelError
from semilar.weights import manifest
from semilar.weights.cache import cached, home
from semilar.weights.importing import import_file

if TYPE_CHECKING:
    from semilar.weights.download import OnBytes


def fetch(name: str, *, progress: "OnBytes | None" = None, force: bool = False) -> Path:
    """Download the weights called `name` unless they are there; gives the cached file.

    VGG16, AlexNet and the LPIPS heads lie in one archive, so fetching one of them keeps all three.
    """
    from semilar.weights.download import download  # what the network needs takes long to load

    entry = manifest.entry(name)
    if entry.remote is None:
        raise ModelError(f"The weights {name!r} come with the package; there is nothing to fetch.")
    if cached(name).is_file() and not force:
        return cached(name)
    home().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home(), prefix="fetch-") as folder:
        archive = Path(folder) / entry.remote.filename
        try:
            download(entry.remote, archive, progress=progress)
        except DownloadError as error:
            raise DownloadError(f"{error} {_by_hand(entry)}") from None
        for other in manifest.FETCHED:
            if other.remote == entry.remote and (force or not cached(other.name).is_file()):
                import_file(other.name, archive)
    return cached(name)


def _by_hand(entry: manifest.WeightsEntry) -> str:
    return (
        f"Get {entry.accepts} on another computer ({entry.source}), then: "
        f"semilar weights import {entry.name} FILE"
    )
