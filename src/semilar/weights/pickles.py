"""A pickle reader that builds NumPy arrays in plain containers and refuses everything else.

Pickles are programs. The archive that carries VGG16 and AlexNet holds pickles, so they are read
once, after the archive's checksum has been verified, by an unpickler that knows four names.
"""

import io
import pickle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semilar.errors import ModelError

# Old and new NumPy keep the same function in different places; files may name either.
_ALLOWED = {
    ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
}


class _ArrayUnpickler(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) not in _ALLOWED:
            raise pickle.UnpicklingError(f"it asks for {module_name}.{global_name}")
        if global_name == "_reconstruct":
            return _reconstruct
        return getattr(np, global_name)


def _reconstruct(kind: type, shape: tuple[int, ...], code: bytes) -> NDArray[Any]:
    """What NumPy's own function does, for plain arrays only: an empty array to be filled."""
    if kind is not np.ndarray or shape != (0,):
        raise pickle.UnpicklingError("it holds something that is not a plain array")
    return np.ndarray(shape, np.dtype(code.decode("ascii")))


def read_arrays(content: bytes, name: str) -> dict[str, NDArray[np.float32]]:
    """The arrays of a pickled tree of dictionaries, as one flat {"a/b/c": array}.

    `name` is only for the error message.
    """
    try:
        tree = _ArrayUnpickler(io.BytesIO(content)).load()
        flat: dict[str, NDArray[np.float32]] = {}
        _flatten(tree, "", flat)
    except Exception as error:  # a hostile or broken pickle can fail in any way
        raise ModelError(f"{name}: not a pickle of NumPy arrays ({error}).") from None
    return flat


def _flatten(tree: Any, prefix: str, into: dict[str, NDArray[np.float32]]) -> None:
    if isinstance(tree, dict):
        for key, value in tree.items():
            _flatten(value, f"{prefix}/{key}" if prefix else str(key), into)
    elif isinstance(tree, np.ndarray) and tree.dtype.kind == "f":
        into[prefix] = np.ascontiguousarray(tree, np.float32)
    else:
        raise ValueError(f"{prefix or 'its content'} is not an array of floats")
