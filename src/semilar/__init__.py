"""Removes lens flare from night photographs.

>>> import semilar
>>> semilar.remove("street.jpg")  # doctest: +SKIP
'street.deflared.jpg'

Everything that can go wrong is a `SemilarError`; `semilar.errors` has the tree.
"""

from typing import TYPE_CHECKING, Any

from semilar.errors import (
    DownloadError,
    MissingExtraError,
    ModelError,
    OutputExistsError,
    PhotoError,
    RecipeError,
    RunExistsError,
    SemilarError,
    SettingError,
    SeveralPicturesError,
    WeightsMissingError,
)

if TYPE_CHECKING:
    from semilar.archive import bulk
    from semilar.restore import Remover, Result, remove

__version__ = "0.1.0"

__all__ = [
    "DownloadError",
    "MissingExtraError",
    "ModelError",
    "OutputExistsError",
    "PhotoError",
    "RecipeError",
    "Remover",
    "Result",
    "RunExistsError",
    "SemilarError",
    "SettingError",
    "SeveralPicturesError",
    "WeightsMissingError",
    "__version__",
    "bulk",
    "remove",
]


def __getattr__(name: str) -> Any:
    """Load the restoring part when it is first asked for: `import semilar` costs nothing."""
    if name in ("Remover", "Result", "remove"):
        from semilar import restore

        return getattr(restore, name)
    if name == "bulk":
        from semilar import archive

        return archive.bulk
    raise AttributeError(f"module 'semilar' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
