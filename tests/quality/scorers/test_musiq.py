"""MUSIQ: the checkpoint's names and shapes, its input, and what it does without weights."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional

from semilar.errors import SemilarError
from semilar.quality.scorers import musiq, scorer
from semilar.quality.scorers.musiq import Musiq
from semilar.quality.scorers.musiq_input import cut_patches


def checkpoint_shapes() -> dict[str, tuple[int, ...]]:
    """Names and shapes in the KonIQ checkpoint that pyiqa publishes."""
    linear = {"weight": (384, 384), "bias": (384,)}
    norm = {"weight": (384,), "bias": (384,)}
    layer = {
        **{f"norm{i}.{k}": v for i in (1, 2) for k, v in norm.items()},
        **{f"attention.{p}.{k}": v for p in QKVO for k, v in linear.items()},
        "mlp.fc1.weight": (1152, 384),
        "mlp.fc1.bias": (1152,),
        "mlp.fc2.weight": (384, 1152),
        "mlp.fc2.bias": (384,),
    }
    groups = {"gn_root": 64, "block1.gn1": 64, "block1.gn2": 64, "block1.gn3": 256}
    groups["block1.gn_proj"] = 256
    encoder = "transformer_encoder"
    return {
        "conv_root.weight": (64, 3, 7, 7),
        "block1.conv1.weight": (64, 64, 1, 1),
        "block1.conv2.weight": (64, 64, 3, 3),
        "block1.conv3.weight": (256, 64, 1, 1),
        "block1.conv_proj.weight": (256, 64, 1, 1),
        **{f"{name}.{part}": (n,) for name, n in groups.items() for part in ("weight", "bias")},
        "embedding.weight": (384, 16384),
        "embedding.bias": (384,),
        f"{encoder}.cls": (1, 1, 384),
        f"{encoder}.posembed_input.position_emb": (1, 100, 384),
        f"{encoder}.scaleembed_input.scale_emb": (3, 384),
        f"{encoder}.encoder_norm.weight": (384,),
        f"{encoder}.encoder_norm.bias": (384,),
        **{
            f"{encoder}.transformer.encoderblock_{i}.{k}": v
            for i in range(14)
            for k, v in layer.items()
        },
        "head.weight": (1, 384),
        "head.bias": (1,),
    }


QKVO = ("query", "key", "value", "out")


def test_parameters_are_the_checkpoints():
    ours = {name: tuple(tensor.shape) for name, tensor in Musiq().state_dict().items()}
    assert ours == checkpoint_shapes()


@pytest.mark.parametrize("shape", [(512, 512), (100, 700), (33, 31)])
def test_patches_are_those_of_a_plain_loop(shape: tuple[int, int]):
    picture = torch.rand(1, 3, *shape, generator=torch.Generator().manual_seed(0))
    found = cut_patches(picture)
    expected = [p for side in (224, 384, None) for p in _loop(2 * picture[0] - 1, side)]
    assert found.pixels.shape == (1, len(expected), 3, 32, 32)
    for index, (patch, row, column, rows, columns) in enumerate(expected):
        torch.testing.assert_close(found.pixels[0, index], patch, atol=1e-6, rtol=0)
        cell = row * 10 // rows * 10 + column * 10 // columns
        assert int(found.place[index]) == cell
    sizes = [int((found.scale == scale).sum()) for scale in range(3)]
    longer = max(shape)
    assert sizes[0] == _count(shape, 224 / longer)
    assert sizes[1] == _count(shape, 384 / longer)
    assert sizes[2] == _count(shape, 1)


def test_a_batch_is_scored_picture_by_picture():
    torch.manual_seed(0)
    net = Musiq().eval()
    batch = torch.rand(3, 3, 90, 60)
    with torch.inference_mode():
        together, alone = net(batch), torch.cat([net(one[None]) for one in batch])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-5)


def test_the_encoder_is_what_its_authors_write(monkeypatch: pytest.MonkeyPatch):
    """Place, scale, one layer and the last norm, written out; every parameter is random."""
    monkeypatch.setattr(musiq, "LAYERS", 1)
    torch.manual_seed(2)
    net = Musiq().transformer_encoder.double()
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    patches = cut_patches(torch.rand(2, 3, 60, 90))
    count = patches.pixels.shape[1]
    tokens = torch.randn(2, count, 384, dtype=torch.float64)
    weights = {name: value.detach() for name, value in net.named_parameters()}
    found = net(tokens, patches).detach()
    for one, summed in zip(tokens, found, strict=True):
        torch.testing.assert_close(summed, _encoded(one, patches.place, patches.scale, weights))
    assert len(set(patches.scale.tolist())) == 3


def _encoded(tokens: Tensor, place: Tensor, scale: Tensor, w: dict[str, Tensor]) -> Tensor:
    rows = [w["cls"][0, 0]]
    for token, cell, size in zip(tokens, place.tolist(), scale.tolist(), strict=True):
        where = w["posembed_input.position_emb"][0, cell]
        rows.append(token + where + w["scaleembed_input.scale_emb"][size])
    x = torch.stack(rows)
    part = {n.removeprefix("transformer.encoderblock_0."): v for n, v in w.items()}

    def linear(name: str, y: Tensor) -> Tensor:
        return y @ part[f"{name}.weight"].T + part[f"{name}.bias"]

    def norm(name: str, y: Tensor) -> Tensor:
        centred = y - y.mean(-1, keepdim=True)
        deviation = (centred.square().mean(-1, keepdim=True) + 1e-6).sqrt()
        return centred / deviation * part[f"{name}.weight"] + part[f"{name}.bias"]

    normal = norm("norm1", x)
    q, k, v = (linear(f"attention.{name}", normal) for name in ("query", "key", "value"))
    heads = []
    for i in range(6):
        own = slice(64 * i, 64 * i + 64)
        attention = (q[:, own] @ k[:, own].T / 8).softmax(-1)  # 8 is the root of a head's width
        heads.append(attention @ v[:, own])
    x = x + linear("attention.out", torch.cat(heads, dim=1))
    hidden = linear("mlp.fc1", norm("norm2", x))
    gelu = hidden * (1 + torch.erf(hidden / 2**0.5)) / 2
    x = x + linear("mlp.fc2", gelu)
    return norm("encoder_norm", x)[0]


def test_without_weights_it_says_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path))
    with pytest.raises(SemilarError, match="weights fetch musiq"):
        scorer("musiq")


def test_it_reads_weights_from_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from semilar.weights.cache import cached

    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path))
    torch.manual_seed(1)
    net = Musiq().eval()
    cached("musiq").parent.mkdir(parents=True, exist_ok=True)
    save_file(net.state_dict(), cached("musiq"))
    picture = torch.rand(1, 3, 64, 80)
    with torch.inference_mode():
        torch.testing.assert_close(scorer("musiq")(picture), net(picture))


def test_other_weights_are_refused_with_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from semilar.weights.cache import cached

    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path))
    cached("musiq").parent.mkdir(parents=True, exist_ok=True)
    save_file({"head.weight": torch.zeros(10, 384)}, cached("musiq"))
    with pytest.raises(SemilarError, match="KonIQ"):
        scorer("musiq")


def _loop(picture: Tensor, longer_side: int | None):
    """Patches of one picture (3, H, W) at one scale with their place, cut one by one."""
    if longer_side is not None:
        ratio = longer_side / max(picture.shape[1:])
        size = [round(side * ratio) for side in picture.shape[1:]]
        picture = functional.interpolate(picture[None], size=size, mode="bicubic")[0]
    _, height, width = picture.shape
    rows, columns = -(-height // 32), -(-width // 32)
    canvas = torch.zeros(3, rows * 32, columns * 32)
    top, left = (rows * 32 - height) // 2, (columns * 32 - width) // 2
    canvas[:, top : top + height, left : left + width] = picture
    for row in range(rows):
        for column in range(columns):
            patch = canvas[:, row * 32 : row * 32 + 32, column * 32 : column * 32 + 32]
            yield patch, row, column, rows, columns


def _count(shape: tuple[int, int], ratio: float) -> int:
    height, width = (-(-round(side * ratio) // 32) for side in shape)
    return height * width
