"""The card of a model: the same after every way there and back, and a checksum that notices."""

import contextlib
import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from safetensors import safe_open
from safetensors.numpy import load, save, save_file

from semilar.errors import ModelError
from semilar.restore import Remover
from semilar.weights import bundled
from semilar.weights.card import ModelCard, Network, verify
from semilar.weights.metadata import content_sha256, read_metadata, with_metadata
from tests.support.models import dimming_model

CARD = ModelCard(
    name="mine",
    purpose="a test",
    licence="MIT",
    net=Network("unet", {"widths": [16, 32]}),
    parameters=3,
    working_size=96,
    views=2,
    domain="linear",
    data="drawn",
    training=({"recipe": "r", "steps": 2},),
    figures={"pairs": {"pictures": 2}},
    limits="büßer",
    photographs=({"file": "a.jpg"},),
    more={"other": [1, None]},
)


def weights_file(folder: Path, suffix: str) -> Path:
    """A file without a card."""
    path = folder / f"plain{suffix}"
    if suffix == ".onnx":
        return dimming_model(path)
    save_file({"a": np.arange(6, dtype=np.float32), "b": np.ones((2, 2), np.float16)}, path)
    return path


@pytest.mark.parametrize("suffix", [".onnx", ".safetensors"])
def test_a_card_comes_back_from_inside_a_file(tmp_path: Path, suffix: str) -> None:
    plain = weights_file(tmp_path, suffix)
    path = tmp_path / f"mine{suffix}"
    CARD.write(path, plain.read_bytes())
    found = ModelCard.read(path)
    assert found.content_sha256 == content_sha256(plain) == content_sha256(path)
    assert replace(found, content_sha256="") == CARD
    verify(path)
    replace(CARD, views=1).write(path, path.read_bytes())  # another card takes its place
    assert ModelCard.read(path).views == 1
    assert list(read_metadata(path)) == ["semilar"]


def test_other_readers_find_weights_and_card(tmp_path: Path) -> None:
    """What safetensors, onnx and ONNX Runtime read of the files that are put together by hand."""
    for suffix in (".onnx", ".safetensors"):
        CARD.write(tmp_path / f"mine{suffix}", weights_file(tmp_path, suffix).read_bytes())
    with safe_open(tmp_path / "mine.safetensors", "numpy") as file:
        assert json.loads(file.metadata()["semilar"])["working_size"] == 96
        np.testing.assert_array_equal(file.get_tensor("a"), np.arange(6))
        assert file.get_tensor("b").dtype == np.float16
    model = onnx.load(tmp_path / "mine.onnx")
    onnx.checker.check_model(model)
    assert json.loads(model.metadata_props[0].value)["limits"] == "büßer"
    session = onnxruntime.InferenceSession(tmp_path / "mine.onnx")
    assert json.loads(session.get_modelmeta().custom_metadata_map["semilar"])["views"] == 2


def test_metadata_that_others_wrote_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    tensors = {"a": np.zeros(3, np.float32)}
    save_file(tensors, path, metadata={"key": "text", "ü": "ß"})
    assert read_metadata(path) == {"key": "text", "ü": "ß"}
    again = with_metadata(path.read_bytes(), ".safetensors", {})
    np.testing.assert_array_equal(load(again)["a"], tensors["a"])
    model = onnx.load(weights_file(tmp_path, ".onnx"))
    onnx.helper.set_model_props(model, {"key": "text", "long": "x" * 300})
    onnx.save(model, tmp_path / "x.onnx")
    assert read_metadata(tmp_path / "x.onnx") == {"key": "text", "long": "x" * 300}


@pytest.mark.parametrize("suffix", [".onnx", ".safetensors"])
def test_a_changed_byte_is_noticed(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"mine{suffix}"
    CARD.write(path, weights_file(tmp_path, suffix).read_bytes())
    content = bytearray(path.read_bytes())
    # A weight: the last byte of the tensors, or of the graph's constant 0.6.
    place = len(content) - 1 if suffix == ".safetensors" else content.index(b"keep") - 2
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelError, match=rf"mine{suffix}: is damaged; its checksum is not the one"):
        verify(path)
    if suffix == ".onnx":
        with pytest.raises(ModelError, match="is damaged"):
            Remover(model=path)


def test_a_card_beside_a_file_names_its_checksum(tmp_path: Path) -> None:
    path = weights_file(tmp_path, ".safetensors")
    verify(path)  # nothing is known of it
    sum_ = hashlib.sha256(path.read_bytes()).hexdigest()
    beside = path.with_suffix(".json")
    beside.write_text(json.dumps({"working_size": 64, "sha256": {path.name: sum_}}))
    verify(path)
    assert ModelCard.read(path).working_size == 64
    beside.write_text(json.dumps({"sha256": {path.name: "0" * 64}}))
    with pytest.raises(ModelError, match="is damaged"):
        verify(path)


def test_what_is_inside_counts_more_than_what_lies_beside(tmp_path: Path) -> None:
    path = tmp_path / "mine.safetensors"
    replace(CARD, licence="").write(path, save({"a": np.zeros(1, np.float32)}))
    path.with_suffix(".json").write_text(json.dumps({"working_size": 64, "licence": "BSD"}))
    card = ModelCard.read(path)
    assert (card.working_size, card.licence) == (96, "BSD")


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"working_size": "large"}, "working_size in its card is 'large'"),
        ({"working_size": 8}, "working_size in its card is 8"),
        ({"views": 0}, "views in its card is 0"),
        ({"domain": "log"}, "domain in its card is 'log'"),
        ({"net": "unet"}, "net in its card is 'unet'"),
    ],
)
def test_a_wrong_card_is_one_error(tmp_path: Path, facts: dict, said: str) -> None:
    path = weights_file(tmp_path, ".onnx")
    path.with_suffix(".json").write_text(json.dumps(facts))
    with pytest.raises(ModelError, match=f"plain.onnx: {said}"):
        Remover(model=path)


@pytest.mark.parametrize("suffix", [".onnx", ".safetensors"])
def test_no_bytes_end_in_anything_but_an_error(tmp_path: Path, suffix: str) -> None:
    whole = CARD.inside(weights_file(tmp_path, suffix).read_bytes(), suffix)
    path = tmp_path / f"bad{suffix}"
    rng = np.random.default_rng(0)
    bad = [whole[:count] for count in range(0, len(whole), 17)] + [os.urandom(50) for _ in "12345"]
    for _ in range(50):
        harmed = bytearray(whole)
        harmed[int(rng.integers(len(whole)))] = int(rng.integers(256))
        bad.append(bytes(harmed))
    for content in bad:
        path.write_bytes(content)
        with contextlib.suppress(ModelError):
            ModelCard.read(path)
            verify(path)


def test_a_linear_model_sees_linear_light(tmp_path: Path) -> None:
    """Half of the *linear* light is kept: a much brighter picture than half of the encoded."""
    picture = np.full((64, 64, 3), 188, np.uint8)  # half of white, linear
    results = {}
    for domain in ("linear", "encoded"):
        content = dimming_model(tmp_path / "dim.onnx", keep=0.5).read_bytes()
        path = tmp_path / f"{domain}.onnx"
        ModelCard(domain=domain).write(path, content)
        results[domain] = int(Remover(model=path).remove(picture).image[32, 32, 0])
    assert results["encoded"] == pytest.approx(94, abs=1)
    assert results["linear"] == pytest.approx(137, abs=1)  # a quarter of white, linear


def test_the_bundled_model_is_what_its_card_says() -> None:
    for suffix in (".onnx", ".safetensors"):
        verify(bundled("semilar-t", suffix=suffix))
        card = ModelCard.read(bundled("semilar-t", suffix=suffix))
        assert card.net is not None
        assert card.licence == "Apache-2.0"
        assert card.photographs
