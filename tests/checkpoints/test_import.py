"""`semilar models import` as a person runs it, and what it refuses."""

import json
import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from typer.testing import CliRunner

from semilar.checkpoints import LAYOUTS
from semilar.cli.main import app
from semilar.restore import Remover
from tests.checkpoints.test_layouts import CASES, made
from tests.support.pictures import smooth_picture


def semilar(*arguments: str | Path):
    return CliRunner().invoke(app, [str(one) for one in arguments], env={"COLUMNS": "200"})


def checkpoint(folder: Path, case: str = "nafnet") -> Path:
    file = folder / "net_g_last.pth"
    torch.save({"params": dict(made(CASES[case])[0])}, file)
    return file


def left_behind(home: Path) -> list[Path]:
    return [path for path in home.rglob("*") if path.is_file()]


def test_import_then_remove_and_benchmark(tmp_path: Path, home: Path) -> None:
    file = checkpoint(tmp_path)
    done = semilar("models", "import", file, "--as", "naf", "--licence", "MIT")
    assert done.exit_code == 0, done.stderr
    assert Path(done.stdout.strip()) == home / "models" / "naf.safetensors"
    assert done.stderr.startswith("NAFNet: 0.0")
    assert "licence: MIT" in done.stderr
    photo = tmp_path / "photo.png"
    Image.fromarray(smooth_picture(48, 64)).save(photo)
    out = tmp_path / "out.png"
    removed = semilar("remove", photo, "--model", "naf", "-o", out)
    assert removed.exit_code == 0, removed.stderr
    assert out.is_file()
    data = tmp_path / "set"
    for role in ("input", "gt"):
        (data / role).mkdir(parents=True)
        shutil.copy(photo, data / role / "1.png")
    evaluated = semilar(
        "benchmark", "--model", "naf", "--data", data, "--out", tmp_path / "b", "-j", "1", "--json"
    )
    assert evaluated.exit_code == 0, evaluated.stderr


def test_the_card_says_where_it_comes_from(tmp_path: Path) -> None:
    file = checkpoint(tmp_path)
    semilar("models", "import", file)
    listed = json.loads(semilar("models", "--json").stdout)["models"]
    assert [model["name"] for model in listed] == ["semilar-t", "net_g_last"]
    card = json.loads(semilar("models", "info", "net_g_last", "--json").stdout)
    assert card["licence"] == "unknown, see origin"
    assert card["origin"]["project"] == "https://github.com/megvii-research/NAFNet"
    assert card["origin"]["file"] == "net_g_last.pth"
    assert len(card["origin"]["sha256"]) == 64
    assert card["parameters"] == sum(v.numel() for v in made(CASES["nafnet"])[0].values())
    assert (
        "megvii-research/NAFNet, net_g_last.pth" in semilar("models", "info", "net_g_last").stdout
    )


def test_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    file = checkpoint(tmp_path)
    assert semilar("models", "import", file, "--as", "x").exit_code == 0
    again = semilar("models", "import", file, "--as", "x")
    assert again.exit_code == 2
    assert again.stderr == "x: there is a model of this name already; use --force to replace it.\n"
    assert semilar("models", "import", file, "--as", "x", "--force").exit_code == 0


@pytest.mark.parametrize("name", ["semilar-t", "../x", "a b", "", "x.onnx", ".x"])
def test_names_that_cannot_be_used(name: str, tmp_path: Path, home: Path) -> None:
    done = semilar("models", "import", checkpoint(tmp_path), f"--as={name or ' '}")
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert left_behind(home) == []


@pytest.mark.parametrize("kept", [True, False])
def test_lamps_are_blended_back_where_the_authors_do(kept: bool, tmp_path: Path) -> None:
    """A network that makes everything black: only a blended lamp can stay."""
    store, _, _ = made(CASES["flare7k"])
    store["output_proj.proj.0.weight"].zero_()
    store["output_proj.proj.0.bias"].fill_(-30)
    file = tmp_path / "x.pth"
    torch.save(dict(store), file)
    layout = "flare7k" if kept else "flare7kpp"
    assert semilar("models", "import", file, "--format", layout).exit_code == 0
    picture = np.full((96, 96, 3), 90, np.uint8)
    picture[30:60, 30:60] = 255
    restored = Remover(model="x").remove(picture).image
    assert restored[:20].max() < 10
    lamp = restored[40:50, 40:50]
    assert lamp.min() == 255 if kept else lamp.max() < 10


class Runs:
    """Unpickled by the ordinary reader, this makes a folder."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self):
        return (os.mkdir, (self.path,))


def refused(file: Path, home: Path, *more: str) -> str:
    """The one line of the error; nothing may be left behind."""
    done = semilar("models", "import", file, *more)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith(str(file)), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert left_behind(home) == []
    return done.stderr


@pytest.mark.parametrize("kind", ["torch", "pickle"])
def test_code_in_a_checkpoint_is_not_run(kind: str, tmp_path: Path, home: Path) -> None:
    trace = tmp_path / "ran"
    file = tmp_path / "evil.pth"
    content = {"params": {"intro.weight": Runs(trace)}}
    if kind == "torch":
        torch.save(content, file)
    else:
        file.write_bytes(pickle.dumps(content))
    said = refused(file, home)
    assert "nothing in it ran" in said
    assert not trace.exists()
    if kind == "pickle":
        pickle.loads(file.read_bytes())
        assert trace.exists(), "the file would have worked"


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_no_layout_takes_a_bad_file(layout: str, tmp_path: Path, home: Path) -> None:
    """Cut, with code among its tensors, of another network, or no checkpoint: all are refused."""
    store = made(next(case for case in CASES.values() if case.layout == layout))[0]
    other = "hinet" if layout == "nafnet" else "nafnet"
    trace, file = tmp_path / "ran", tmp_path / "x.pth"
    torch.save({"params": dict(store)}, file)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    refused(file, home, "--format", layout)
    torch.save({"params": {**store, next(iter(store)): Runs(trace)}}, file)
    assert "nothing in it ran" in refused(file, home, "--format", layout)
    assert not trace.exists()
    torch.save({"params": dict(made(CASES[other])[0])}, file)
    assert f"is not {LAYOUTS[layout].title}" in refused(file, home, "--format", layout)
    file.write_bytes(b"no checkpoint")
    refused(file, home, "--format", layout)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
def test_a_cut_file(share: float, suffix: str, tmp_path: Path, home: Path) -> None:
    from safetensors.torch import save_file

    whole = checkpoint(tmp_path)
    if suffix == ".safetensors":
        whole = tmp_path / "whole.safetensors"
        save_file(dict(made(CASES["nafnet"])[0]), whole)
    file = tmp_path / f"cut{suffix}"
    content = whole.read_bytes()
    file.write_bytes(content[: int(len(content) * share)])
    refused(file, home)


@pytest.mark.parametrize(
    "content", [b"hello\n" * 100, bytes(range(256)) * 9, b"PK\x03\x04" + b"x" * 99]
)
def test_no_checkpoint_at_all(content: bytes, tmp_path: Path, home: Path) -> None:
    file = tmp_path / "x.pth"
    file.write_bytes(content)
    refused(file, home)


def test_what_holds_no_network(tmp_path: Path, home: Path) -> None:
    file = tmp_path / "x.pth"
    for content in ([1, 2], {"epoch": 3}, torch.ones(3), {"params": {}}):
        torch.save(content, file)
        assert "holds no tensors of a network" in refused(file, home)


def test_another_layout_is_named_by_its_keys(tmp_path: Path, home: Path) -> None:
    file = tmp_path / "x.pth"
    torch.save({"state_dict": {f"layer{i}.weight": torch.ones(2) for i in range(9)}}, file)
    said = refused(file, home)
    assert "its 9 keys (layer0.weight, layer1.weight, layer2.weight, ...)" in said
    assert "flare7k" in said
    said = refused(checkpoint(tmp_path), home, "--format", "restormer")
    assert "is not Restormer: it has no patch_embed.proj.weight" in said
    unknown = semilar("models", "import", file, "--format", "dream")
    assert unknown.stderr.startswith("dream: no such format; there are auto, flare7k,")


def test_missing_and_unknown_keys_are_named(tmp_path: Path, home: Path) -> None:
    store = made(CASES["nafnet"])[0]
    tensors = {key: value for key, value in store.items() if key != "ending.bias"}
    tensors |= {f"more.{i}": torch.ones(1) for i in range(5)}
    file = tmp_path / "x.pth"
    torch.save(tensors, file)
    assert refused(file, home) == (
        f"{file}: is not NAFNet; of its keys 5 unknown: more.0, more.1, more.2, ...; "
        "1 missing (as we call them): last.bias.\n"
    )


def test_a_wrong_shape_is_named(tmp_path: Path, home: Path) -> None:
    store = made(CASES["nafnet"])[0]
    file = tmp_path / "x.pth"
    torch.save({**store, "intro.bias": torch.ones(5)}, file)
    assert "intro.bias is 5, which does not fit 4" in refused(file, home)


def test_six_planes_where_three_are_published(tmp_path: Path, home: Path) -> None:
    store = made(CASES["nafnet"])[0]
    file = tmp_path / "x.pth"
    torch.save({**store, "ending.weight": torch.ones(6, 4, 3, 3)}, file)
    assert "ends in 6 planes; NAFNet has 3" in refused(file, home)


def test_values_that_are_not_finite(tmp_path: Path, home: Path) -> None:
    store = made(CASES["nafnet"])[0]
    store["intro.bias"][0] = float("nan")
    file = tmp_path / "x.pth"
    torch.save(dict(store), file)
    assert "intro.bias holds values that are not finite" in refused(file, home)


def test_a_tensor_that_only_claims_to_be_large(tmp_path: Path, home: Path) -> None:
    store = made(CASES["nafnet"])[0]
    file = tmp_path / "x.pth"
    torch.save({**store, "intro.bias": torch.ones(1).expand(10**12)}, file)
    assert "claims to hold more than it does" in refused(file, home)


def test_a_missing_file(tmp_path: Path, home: Path) -> None:
    assert "there is no such file" in refused(tmp_path / "x.pth", home)


def test_half_precision_becomes_single(tmp_path: Path) -> None:
    store = made(CASES["nafnet"])[0]
    file = tmp_path / "x.pth"
    torch.save({key: value.half() for key, value in store.items()}, file)
    assert semilar("models", "import", file).exit_code == 0
    scene = Remover(model="x").remove(smooth_picture(32, 48)).image
    assert scene.shape == (32, 48, 3)
