"""Optional parts of the package: imported where they are used, named exactly when missing."""

import importlib
from typing import Any

from semilar.errors import MissingExtraError

# The packages that an extra brings, by the name under which they are imported.
EXTRA_OF = {
    "duckdb": "bulk",
    "fastapi": "serve",
    "filelock": "experiment",
    "fsspec": "bulk",
    "lightning_fabric": "train",
    "matplotlib": "experiment",
    "multipart": "serve",
    "onnx": "train",
    "onnxscript": "train",
    "openvino": "openvino",
    "pillow_heif": "heif",
    "prometheus_client": "serve",
    "pyarrow": "bulk",
    "pydantic": "train",
    "rawpy": "raw",
    "ray": "bulk",
    "s3fs": "bulk",
    "tensorboard": "train",
    "torch": "train",
    "uvicorn": "serve",
    "yaml": "train",
}


def missing_extra(error: ModuleNotFoundError) -> MissingExtraError | None:
    """What to tell the person if `error` means that an extra is not installed."""
    package = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(package)
    return MissingExtraError(package, extra) if extra else None


def load_extra(module: str, extra: str, *, what: str = "This") -> Any:
    """Import `module`; where it is not installed, say which extra brings it and `what` needs it.

    >>> load_extra("json", "train").dumps(1)
    '1'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name.partition(".")[0]):
            raise
        raise MissingExtraError(module.partition(".")[0], extra, what=what) from None
