"""Weights: what comes with the package, what can be fetched, and where it is kept.

Nothing is downloaded unless somebody asks for it (`semilar weights fetch NAME`). Weights are kept
as safetensors in a cache folder of the user's choice; everything here works without torch, except
the one-time import of a torch file.
"""

from semilar.errors import WeightsMissingError
from semilar.weights.cache import home, models_folder
from semilar.weights.card import SMALLEST, SUFFIXES, WORKING_SIZE, ModelCard, Network, verify
from semilar.weights.fetch import fetch
from semilar.weights.importing import import_file, is_published
from semilar.weights.manifest import BUNDLED, WeightsEntry, entries, entry
from semilar.weights.metadata import content_sha256, sha256
from semilar.weights.store import bundled, load, locate

__all__ = [
    "BUNDLED",
    "SMALLEST",
    "SUFFIXES",
    "WORKING_SIZE",
    "ModelCard",
    "Network",
    "WeightsEntry",
    "WeightsMissingError",
    "bundled",
    "content_sha256",
    "entries",
    "entry",
    "fetch",
    "home",
    "import_file",
    "is_published",
    "load",
    "locate",
    "models_folder",
    "sha256",
    "verify",
]
