"""The restricted unpickler builds arrays and refuses everything else."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from semilar.errors import SemilarError
from semilar.weights.pickles import read_arrays


class Writes:
    """Unpickled by the ordinary reader, this creates a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


class Evaluates:
    def __reduce__(self):
        return (eval, ("__import__('os').getpid()",))


@pytest.mark.parametrize("protocol", [3, 4])
def test_reads_nested_arrays(protocol: int) -> None:
    rng = np.random.default_rng(0)
    kernel, bias = rng.normal(size=(3, 3, 2, 4)).astype(np.float32), np.arange(4, dtype=np.float32)
    content = pickle.dumps({"net": {"Conv_0": {"kernel": kernel, "bias": bias}}}, protocol)
    arrays = read_arrays(content, "x.ckpt")
    assert set(arrays) == {"net/Conv_0/kernel", "net/Conv_0/bias"}
    np.testing.assert_array_equal(arrays["net/Conv_0/kernel"], kernel)
    np.testing.assert_array_equal(arrays["net/Conv_0/bias"], bias)


def test_reads_the_old_module_name_of_numpy() -> None:
    new = pickle.dumps({"a": np.ones(3, np.float32)}, protocol=3)
    old = new.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    assert old != new
    np.testing.assert_array_equal(read_arrays(old, "old")["a"], np.ones(3, np.float32))


def test_code_in_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    content = pickle.dumps({"a": Writes(trace)}, protocol=3)
    with pytest.raises(SemilarError, match=r"evil.ckpt: not a pickle of NumPy arrays"):
        read_arrays(content, "evil.ckpt")
    assert not trace.exists()
    pickle.loads(content)  # the pickle would have worked
    assert trace.exists()


@pytest.mark.parametrize(
    "value",
    [
        Evaluates(),
        [np.ones(3, np.float32)],
        {"a": np.array([{"b": 1}], dtype=object)},
        {"a": "text"},
        {"a": np.arange(3)},
        {"a": np.recarray(2, dtype=[("x", "f4")])},
    ],
    ids=["eval", "list", "objects", "text", "integers", "subclass"],
)
def test_anything_but_a_tree_of_float_arrays_is_refused(value: object) -> None:
    with pytest.raises(SemilarError, match="not a pickle of NumPy arrays"):
        read_arrays(pickle.dumps(value, protocol=3), "odd")


@pytest.mark.parametrize("content", [b"", b"\x80\x04", b"not a pickle", bytes(range(256))])
def test_rubbish_is_an_error(content: bytes) -> None:
    with pytest.raises(SemilarError, match="rubbish: not a pickle"):
        read_arrays(content, "rubbish")
