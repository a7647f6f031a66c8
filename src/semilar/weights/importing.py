"""Files into the cache: the published archive, torch files and safetensors, all kept alike."""

import pickle
import tarfile
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from semilar.errors import ModelError
from semilar.extras import load_extra
from semilar.files import write_bytes
from semilar.weights import manifest
from semilar.weights.cache import cached
from semilar.weights.layouts import Arrays, checked, from_flax
from semilar.weights.metadata import sha256
from semilar.weights.pickles import read_arrays


def import_file(name: str, file: Path) -> Path:
    """Check `file`, convert it and keep it as the weights called `name`; gives the cached file.

    The kind of file goes by its suffix: the package archive (.tar.gz, checksum verified),
    a torch file (.pth or .pt, read with `weights_only=True`) or .safetensors.
    """
    entry = manifest.entry(name)
    if entry.remote is None:
        raise ModelError(f"The weights {name!r} come with the package and are not imported.")
    if not file.is_file():
        raise ModelError(f"{file}: there is no such file.")
    return _keep(name, checked(name, _read(entry, file), str(file)), sha256(file))


def is_published(name: str, file: Path) -> bool:
    """Whether `file` is byte for byte the one the manifest pins."""
    remote = manifest.entry(name).remote
    return remote is not None and sha256(file) == remote.sha256


def _read(entry: manifest.WeightsEntry, file: Path) -> Arrays:
    if file.name.endswith(".tar.gz") and entry.member and entry.remote:
        entry.remote.check(file)
        return from_flax(entry.name, read_arrays(_member(file, entry.member), entry.member))
    if file.suffix in {".pth", ".pt"}:
        return _read_torch(file)
    if file.suffix == ".safetensors":
        try:
            return load_file(file)
        except (SafetensorError, OSError) as error:
            raise ModelError(f"{file}: cannot be read as safetensors ({error}).") from None
    raise ModelError(
        f"{file}: this kind of file cannot be imported as {entry.name!r}; "
        f"take {entry.accepts}, or a .safetensors file with the same tensors."
    )


def _member(archive: Path, member: str) -> bytes:
    """One file out of the archive, into memory: nothing is unpacked to the disk."""
    try:
        with tarfile.open(archive, "r:gz") as tar:
            stream = tar.extractfile(member)
            if stream is None:
                raise KeyError(member)
            return stream.read()
    except (KeyError, tarfile.TarError, OSError, EOFError) as error:
        raise ModelError(f"{archive}: cannot read {member} from it ({error}).") from None


def _read_torch(file: Path) -> Arrays:
    torch = load_extra("torch", "train")
    try:
        state = torch.load(file, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, OSError, ValueError) as error:
        first = str(error).partition("\n")[0]
        raise ModelError(f"{file}: not a torch file of plain tensors ({first}).") from None
    for wrapper in ("params", "state_dict", "model"):
        if isinstance(state, dict) and isinstance(state.get(wrapper), dict):
            state = state[wrapper]
    if not isinstance(state, dict) or not all(torch.is_tensor(v) for v in state.values()):
        raise ModelError(f"{file}: does not hold a dictionary of tensors.")
    return {
        str(key).removeprefix("module."): np.ascontiguousarray(value.float().numpy())
        for key, value in state.items()
    }


def _keep(name: str, tensors: Arrays, source_sha256: str) -> Path:
    target = cached(name)
    write_bytes(target, save(tensors, metadata={"source_sha256": source_sha256}))
    return target
