"""The network of a run: built, filled with weights, and what moves them."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from semilar.data import derived_seed
from semilar.errors import SemilarError
from semilar.net import ConvBlock, PSCBlock, build
from semilar.train.adamp import AdamP
from semilar.train.checkpoint import Checkpoint
from semilar.train.muon import Muon
from semilar.train.recipe import Optimizer, Recipe
from semilar.weights import SUFFIXES, bundled, verify


def build_net(recipe: Recipe, checkpoint: Checkpoint | None = None) -> nn.Module:
    """The recipe's network: fresh from the seed, from `init`, or from a checkpoint."""
    torch.manual_seed(derived_seed(recipe.seed))
    try:
        net = build(recipe.net.name, **recipe.net.options)
    except TypeError as error:
        raise SemilarError(
            f"net.options: {recipe.net.name} does not take them ({error})."
        ) from None
    if recipe.machine.channels_last:
        net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    if checkpoint is not None:
        _fill(net, checkpoint.student, "the checkpoint")
    elif recipe.init is not None:
        tensors = initial_weights(recipe.init)
        silence_new_blocks(net, tensors)
        _fill(net, {**net.state_dict(), **tensors}, str(recipe.init))
    return net


def initial_file(origin: Path) -> Path:
    """The file of weights at a path, or of the model of that name that comes with the package."""
    if origin.exists():
        return origin
    if origin.suffix or len(origin.parts) > 1:
        raise SemilarError(f"{origin}: no such file of weights to start from.")
    return bundled(str(origin), suffix=".safetensors")


def initial_weights(origin: Path) -> dict[str, Tensor]:
    """The weights to start from, checked against their card."""
    file = initial_file(origin)
    try:
        if file.suffix in SUFFIXES:
            verify(file)
        return {name: tensor.float() for name, tensor in load_file(file).items()}
    except (OSError, SafetensorError) as error:
        raise SemilarError(f"{file}: is no file of weights ({error}).") from None


def silence_new_blocks(net: nn.Module, tensors: dict[str, Tensor]) -> None:
    """Silence the blocks that the weights do not have: a deeper network starts as the old one."""
    for name, block in net.named_modules():
        known = any(key.startswith(f"{name}.") for key in tensors)
        if isinstance(block, ConvBlock | PSCBlock) and not known:
            block.silence()


def nearer(net: nn.Module, start: Mapping[str, Tensor], share: float) -> nn.Module:
    """A copy of `net` whose weights are by `share` those of `start`; what is not there stays."""
    mean = deepcopy(net)
    with torch.no_grad():
        for name, value in mean.state_dict().items():
            if name in start and value.is_floating_point():
                value.lerp_(start[name].to(value), share)
    return mean


def _fill(net: nn.Module, tensors: dict[str, Tensor], origin: str) -> None:
    try:
        net.load_state_dict(tensors)
    except RuntimeError as error:
        reason = str(error).splitlines()[-1].strip()
        raise SemilarError(f"{origin}: does not fit the recipe's network ({reason})") from None


def make_optimizer(net: nn.Module, spec: Optimizer) -> torch.optim.Optimizer:
    """The recipe's optimizer for the parameters of `net`."""
    if spec.kind == "muon":
        return Muon(net, lr=spec.lr, betas=spec.betas)
    kind = AdamP if spec.kind == "adamp" else torch.optim.Adam
    return kind(net.parameters(), lr=spec.lr, betas=spec.betas, weight_decay=spec.weight_decay)
