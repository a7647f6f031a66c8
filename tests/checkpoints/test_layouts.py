"""Every public layout: a file of its names and shapes, imported, gives what the original gives."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor

from semilar.checkpoints import LAYOUTS, import_checkpoint
from semilar.net import build
from semilar.restore.engines import open_engine
from semilar.restore.models import find_model
from semilar.weights import ModelCard
from tests.checkpoints import public, public_more
from tests.checkpoints.public import Store

Run = Callable[[Store, Tensor], Tensor | tuple[Tensor, Tensor]]
NARROW = {"width": 4, "heads": (1, 2, 2, 2, 4, 4, 2, 2, 1), "side": 4}


@dataclass(frozen=True)
class Case:
    """`small` runs a network narrow enough for a test, `full` the published one."""

    layout: str
    small: Run
    full: Run | None = None
    parameters: float = 0  # in units if over 1000, else in millions, rounded
    guessed: str = ""  # what auto takes it for, if not `layout`
    side: int = 64
    extra: dict[str, Tensor] = field(default_factory=dict)


def sigmoid(run: Callable[..., Tensor], **options: Any) -> Run:
    return lambda s, x: run(s, x, **options).sigmoid()


def residual(run: Callable[..., Tensor], **options: Any) -> Run:
    return lambda s, x: run(s, x, **options) + x


def plain(run: Callable[..., Any], **options: Any) -> Run:
    return lambda s, x: run(s, x, **options)


CASES = {
    "flare7k": Case(
        "flare7k",
        sigmoid(public.uformer, **NARROW),
        sigmoid(public.uformer),
        20_473_888,
        extra={"conv.blocks.0.attn.relative_position_index": torch.zeros(16, 16).long()},
    ),
    "flare7k, 3 planes": Case("flare7k", sigmoid(public.uformer, **NARROW, outputs=3)),
    "flare7kpp": Case("flare7kpp", sigmoid(public.uformer, **NARROW), guessed="flare7k"),
    "flare7k-unet": Case(
        "flare7k-unet", sigmoid(public.unet, widths=(4, 6, 8, 10, 12)), sigmoid(public.unet), 34.53
    ),
    "flare7k-unet, 3 planes": Case(
        "flare7k-unet", sigmoid(public.unet, widths=(4, 6, 8, 10, 12), outputs=3)
    ),
    "flare7kpp-unet": Case(
        "flare7kpp-unet", sigmoid(public.unet, widths=(4, 6, 8, 10, 12)), guessed="flare7k-unet"
    ),
    "semi-lar": Case(
        "semi-lar",
        plain(public.raliformer, width=32, depth=1),
        plain(public.raliformer),
        28_095_662,
    ),
    "uformer": Case(
        "uformer",
        residual(public.uformer, **NARROW, feed="leff", modulated=True, outputs=3),
        residual(public.uformer, feed="leff", outputs=3),  # the paper counts no modulators
        20.63,
    ),
    "uformer-128": Case(
        "uformer-128",
        residual(public.uformer, **NARROW, feed="leff", shift_bottleneck=False, outputs=3),
        guessed="uformer",
        side=128,
    ),
    "hinet": Case(
        "hinet", plain(public_more.hinet, width=4, depth=3), plain(public_more.hinet), 88.67
    ),
    "hinet, coarse scales normalised": Case(
        "hinet",
        plain(public_more.hinet, width=4, depth=4, left=2),
        plain(public_more.hinet, left=3),  # as trained on GoPro and REDS
        88_668_806,
    ),
    "restormer": Case(
        "restormer",
        plain(
            public_more.restormer, width=16, depths=(1, 2, 1, 1), heads=(1, 2, 2, 4), refinement=2
        ),
        plain(public_more.restormer),
        26.13,
    ),
    "restormer without bias": Case(
        "restormer",
        plain(public_more.restormer, width=16, depths=(1,) * 4, refinement=1, bias=False),
        plain(public_more.restormer, bias=False),
        26.11,
    ),
    "nafnet": Case(
        "nafnet",
        plain(public_more.nafnet, width=4, encoder=(1, 2), middle=1, decoder=(2, 1)),
        plain(public_more.nafnet),
        29.16,
    ),
    "mfdnet": Case(
        "mfdnet",
        plain(public_more.mfdnet, low=4, high=8),
        plain(public_more.mfdnet),
        6_345_823,
        side=96,
    ),
    "mfdnet with PReLU": Case(
        "mfdnet", plain(public_more.mfdnet, low=4, high=8, prelu=True), side=96
    ),
}


def made(case: Case) -> tuple[Store, Tensor, Tensor | tuple[Tensor, Tensor]]:
    """The checkpoint of a small network, a picture, and what the original makes of it."""
    store = Store()
    picture = torch.rand(1, 3, case.side, case.side, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        expected = case.small(store, picture)
    store.update(case.extra)
    return store, picture, expected


@pytest.mark.parametrize("name", CASES)
def test_an_imported_network_gives_what_the_original_gives(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    store, picture, expected = made(case)
    file = tmp_path / "net_g_last.pth"
    torch.save({"params_ema": dict(store), "iter": 3}, file)
    import_checkpoint(file, name="theirs", layout=case.layout)
    found = find_model("theirs")
    scene, flare = open_engine(found, threads=1).run(picture.numpy())
    both = torch.cat(expected, 1) if isinstance(expected, tuple) else expected
    torch.testing.assert_close(torch.from_numpy(scene), both[:, :3], atol=1e-4, rtol=0)
    if both.shape[1] == 6:
        torch.testing.assert_close(torch.from_numpy(flare), both[:, 3:], atol=1e-4, rtol=0)
    else:
        assert flare.shape == scene.shape
    assert both[:, :3].std() > 0.01, "the comparison would pass for a flat picture"


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.full])
def test_the_published_size_has_the_published_number_of_parameters(name: str) -> None:
    """Shapes only: names and shapes of the whole network, and ours built for them."""
    case = CASES[name]
    assert case.full is not None
    store = Store("meta")
    with torch.device("meta"):
        case.full(store, torch.empty(1, 3, 128, 128))
        shapes = {key: tuple(value.shape) for key, value in store.items()}
        layout = LAYOUTS[case.layout]
        ours = build(layout.network, **layout.options(shapes))
    count = sum(parameter.numel() for parameter in ours.parameters())
    buffers = ("running_mean", "running_var", "num_batches_tracked")
    theirs = sum(v.numel() for key, v in store.items() if not key.endswith(buffers))
    assert count == theirs
    rounded = count if case.parameters > 1000 else round(count / 1e6, 2)
    assert rounded == pytest.approx(case.parameters, rel=0 if case.parameters > 1000 else 2e-3)


@pytest.mark.parametrize("name", CASES)
def test_the_layout_is_recognised(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    file = tmp_path / "x.safetensors"
    save_file({f"module.{key}": value.contiguous() for key, value in made(case)[0].items()}, file)
    card = ModelCard.read(import_checkpoint(file).path)
    assert card.name == "x"
    assert card.origin["format"] == (case.guessed or case.layout)


@pytest.mark.parametrize("wrapper", ["params", "params_ema", "state_dict", "model", None])
@pytest.mark.parametrize("prefix", ["", "module."])
def test_wrappers_and_prefixes_are_seen_through(wrapper, prefix, tmp_path: Path) -> None:
    tensors = {prefix + key: value for key, value in made(CASES["nafnet"])[0].items()}
    content = {wrapper: tensors, "epoch": 4} if wrapper else tensors
    file = tmp_path / "x.pth"
    torch.save(content, file)
    assert import_checkpoint(file).path.is_file()


def test_averaged_weights_come_before_the_others(tmp_path: Path) -> None:
    store, picture, expected = made(CASES["nafnet"])
    file = tmp_path / "x.pth"
    other = {key: value + 1 for key, value in store.items()}
    torch.save({"params": other, "params_ema": dict(store)}, file)
    import_checkpoint(file)
    scene, _ = open_engine(find_model("x"), threads=1).run(picture.numpy())
    assert isinstance(expected, Tensor)
    torch.testing.assert_close(torch.from_numpy(scene), expected, atol=1e-4, rtol=0)
