"""Where weights are kept, and the errors when they are not there."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from semilar import weights
from semilar.errors import SemilarError
from semilar.weights import manifest
from semilar.weights.cache import cached
from semilar.weights.metadata import sha256


def test_the_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert weights.home() == tmp_path / "own"
    monkeypatch.delenv("SEMILAR_HOME")
    assert weights.home() == tmp_path / "xdg" / "semilar"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert weights.home() == tmp_path / ".cache" / "semilar"


@pytest.mark.parametrize("name", ["vgg16", "alexnet", "lpips-alex", "musiq"])
def test_missing_weights_say_how_to_get_them(name: str) -> None:
    with pytest.raises(weights.WeightsMissingError) as caught:
        weights.locate(name)
    message = str(caught.value)
    assert f"semilar weights fetch {name}" in message
    assert f"semilar weights import {name} FILE" in message
    assert "\n" not in message


def test_unknown_names_are_listed() -> None:
    with pytest.raises(SemilarError, match=r"'vgg61'; known are: .*vgg16, alexnet"):
        weights.load("vgg61")


def test_a_damaged_cache_file_is_named() -> None:
    file = cached("alexnet")
    file.parent.mkdir(parents=True)
    file.write_bytes(b"not safetensors")
    with pytest.raises(SemilarError, match=r"alexnet.safetensors: cannot be read as safetensors"):
        weights.load("alexnet")


def test_bundled_models_are_found_by_their_cards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "BUNDLED", tmp_path)
    save_file({"a": np.ones(2, np.float32)}, tmp_path / "tiny.safetensors")
    card = {"purpose": "a test", "licence": "MIT", "sha256": {}}
    card["sha256"] = {"tiny.safetensors": sha256(tmp_path / "tiny.safetensors")}
    (tmp_path / "tiny.json").write_text(json.dumps(card))
    entry = weights.entries()["tiny"]
    assert (entry.origin, entry.purpose, entry.licence) == ("bundled", "a test", "MIT")
    assert entry.sha256 == card["sha256"]["tiny.safetensors"]
    assert weights.locate("tiny") == weights.bundled("tiny") == tmp_path / "tiny.safetensors"
    np.testing.assert_array_equal(weights.load("tiny")["a"], np.ones(2))
    assert weights.bundled("tiny", suffix=".json").name == "tiny.json"
    (tmp_path / "tiny.onnx").touch()
    assert weights.bundled("tiny").suffix == ".onnx"
    with pytest.raises(SemilarError, match=r"No model 'huge' .* there are: tiny"):
        weights.bundled("huge")
    (tmp_path / "lonely.json").write_text("{}")
    with pytest.raises(SemilarError, match=r"lonely.json: there is no"):
        weights.entries()


def test_every_bundled_file_is_the_one_its_card_describes() -> None:
    cards = sorted(manifest.BUNDLED.glob("*.json"))
    assert {card.stem for card in cards} <= set(weights.entries())
    for card in cards:
        sums = json.loads(card.read_text())["sha256"]
        assert {name: sha256(card.with_name(name)) for name in sums} == sums


def test_works_without_torch() -> None:
    """The base install has no torch: importing these rooms must not need it."""
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import semilar.weights, semilar.quality, semilar.evaluate, semilar.evaluate.report\n"
        "import numpy as np; a = np.zeros((9, 9, 3), np.uint8)\n"
        "assert semilar.quality.ssim(a, a) == 1\n"
        "from semilar.errors import SemilarError\n"
        "try: semilar.quality.lpips(a, a)\n"
        "except SemilarError as error: assert 'semilar[train]' in str(error)\n"
        "else: raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
