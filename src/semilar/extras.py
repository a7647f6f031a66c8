"""Optional parts of the package: imported where they are used, named exactly when missing."""

import importlib
from typing import Any

from semilar.errors import MissingExtraError


def load_extra(module: str, extra: str) -> Any:
    """Import `module`; where it is not installed, say which extra brings it.

    >>> load_extra("json", "train").dumps(1)
    '1'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name.partition(".")[0]):
            raise
        raise MissingExtraError(module.partition(".")[0], extra) from None
