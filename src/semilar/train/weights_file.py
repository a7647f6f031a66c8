"""The weights that a run leaves: a safetensors file with the model's card inside."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from safetensors.torch import save
from torch import nn

from semilar.errors import SemilarError
from semilar.net import identity
from semilar.train.network import initial_file
from semilar.train.recipe import Recipe
from semilar.train.run_folder import RunFolder
from semilar.weights import SUFFIXES, ModelCard, Network


def origin_card(recipe: Recipe, folder: RunFolder, *, resume: bool) -> ModelCard:
    """The card of what the run starts from; a resumed run has it in the files that it wrote."""
    own = folder.last("student")
    if resume and own.is_file():
        return _before(ModelCard.read(own), recipe)
    if recipe.init is None:
        return ModelCard()
    try:
        file = initial_file(recipe.init)
    except SemilarError:
        if resume:  # it has done its part
            return ModelCard()
        raise
    return ModelCard.read(file) if file.suffix in SUFFIXES else ModelCard()


def _before(card: ModelCard, recipe: Recipe) -> ModelCard:
    """A card of this run without the run itself, which is told anew."""
    earlier = card.training
    if earlier and earlier[-1].get("recipe") == recipe.name:
        earlier = earlier[:-1]
    return replace(card, training=earlier)


def run_card(
    recipe: Recipe,
    origin: ModelCard,
    *,
    network: str,
    step: int,
    figures: Mapping[str, Any],
    start_share: float = 0.0,
) -> ModelCard:
    """The card of the `network` (student or teacher) after `step` steps, mixed by `start_share`
    with the weights that the run started from.

    Working size and views are those of the weights that the run started from. `figures` are those
    of the last validation, by set.
    """
    run: dict[str, Any] = {"recipe": recipe.name, "steps": step, "network": network}
    if start_share:
        run["start_share"] = start_share
    return ModelCard(
        name=recipe.name,
        net=Network(**identity(recipe.net.name, **recipe.net.options)),
        working_size=origin.working_size,
        views=origin.views,
        data=_data(recipe),
        training=(*origin.training, run),
        figures={f"pictures of {name} (validation)": _figure(one) for name, one in figures.items()},
    )


def _data(recipe: Recipe) -> str:
    """What was learned from, in a few words; `data.json` of the run lists the files."""
    labeled = {
        "simulated": "simulated flares over photographs",
        "patterns": "flare patterns over photographs",
        "pairs": "pairs of photographs",
        "authors": "pairs made as the paper's authors make them",
    }
    return labeled[recipe.labeled.kind] + (", unlabeled photographs" if recipe.semi else "")


def _figure(report: Mapping[str, Any]) -> dict[str, Any]:
    psnr = {
        "untouched": report["input_psnr"],
        "result": report["psnr"],
        "gain": {"value": report["gain"]},
    }
    return {"pictures": report["count"], "metrics": {"psnr": psnr}}


def write_weights(path: Path, net: nn.Module, card: ModelCard) -> None:
    """Write the weights of `net` with their card, whole or not at all."""
    state = {name: value.detach().cpu().contiguous() for name, value in net.state_dict().items()}
    parameters = sum(value.numel() for value in state.values())
    try:
        replace(card, parameters=parameters).write(path, save(state))
    except OSError as error:
        raise SemilarError(f"{path}: could not be written ({error}).") from error
