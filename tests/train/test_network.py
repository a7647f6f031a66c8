"""What a run starts from: fresh weights, those of another run, those in the package."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from semilar.errors import SemilarError
from semilar.train.network import build_net, initial_weights
from semilar.train.run_folder import RunFolder
from semilar.train.start import compiled
from semilar.train.weights_file import origin_card, run_card, write_weights
from semilar.weights import ModelCard, bundled
from tests.train.tiny import tiny_recipe


def test_a_run_can_start_from_the_best_weights_of_another(tmp_path: Path) -> None:
    first = build_net(tiny_recipe(tmp_path, changes={"seed": 1}))
    file = tmp_path / "best.safetensors"
    save_file({name: value.half() for name, value in first.state_dict().items()}, file)
    second = build_net(tiny_recipe(tmp_path, changes={"seed": 2, "init": str(file)}))
    for name, value in second.state_dict().items():
        assert value.dtype == torch.float32
        torch.testing.assert_close(value, first.state_dict()[name], atol=1e-3, rtol=1e-3)


def test_the_name_of_a_bundled_model_gives_its_weights() -> None:
    stored = load_file(bundled("semilar-t", suffix=".safetensors"))
    found = initial_weights(Path("semilar-t"))
    assert found.keys() == stored.keys()
    assert all(torch.equal(found[name], stored[name].float()) for name in stored)


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ("runs/gone/best.safetensors", "no such file of weights to start from"),
        ("semilar-x", "No model 'semilar-x' comes with the package; there are: .*"),
        ("notes.txt", "notes.txt: is no file of weights"),
    ],
)
def test_what_cannot_be_started_from_is_an_error(
    tmp_path: Path, origin: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("no weights")
    with pytest.raises(SemilarError, match=said):
        initial_weights(Path(origin))


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path, changes={"init": "semilar-t"})
    with pytest.raises(SemilarError, match="semilar-t: does not fit the recipe's network"):
        build_net(recipe)


def test_a_run_sees_photos_as_the_weights_it_started_from(tmp_path: Path) -> None:
    file = tmp_path / "first.safetensors"
    net = build_net(tiny_recipe(tmp_path, changes={"seed": 1}))
    earlier = {"recipe": "other", "steps": 9}
    write_weights(file, net, ModelCard(working_size=352, views=8, training=(earlier,)))
    recipe = tiny_recipe(tmp_path, changes={"init": str(file)})
    origin = origin_card(recipe, RunFolder(recipe.run), resume=False)
    card = run_card(recipe, origin, network="student", step=5, figures={})
    assert (card.working_size, card.views) == (352, 8)
    assert [run["recipe"] for run in card.training] == ["other", "tiny"]
    folder = RunFolder(recipe.run)
    write_weights(folder.last("student"), net, card)
    file.unlink()  # a resumed run does not need it any more
    again = run_card(
        recipe, origin_card(recipe, folder, resume=True), network="student", step=7, figures={}
    )
    assert (again.working_size, again.views) == (352, 8)
    assert [run["steps"] for run in again.training] == [9, 7]


def test_damaged_weights_are_no_start(tmp_path: Path) -> None:
    file = tmp_path / "first.safetensors"
    write_weights(file, build_net(tiny_recipe(tmp_path)), ModelCard())
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(SemilarError, match=r"first.safetensors: is damaged"):
        build_net(tiny_recipe(tmp_path, changes={"init": str(file)}))


@pytest.mark.slow
def test_a_compiled_network_takes_the_sizes_of_a_curriculum(tmp_path: Path) -> None:
    """Code for any size, which the compiler tries at the second one, fails on these networks."""
    net = build_net(tiny_recipe(tmp_path, changes={"net": {"name": "raliformer-t"}}))
    fused = compiled(net)
    for batch, side in ((2, 64), (1, 96)):
        picture = torch.rand(batch, 3, side, side).to(memory_format=torch.channels_last)
        scene, flare = fused(picture)
        (scene.mean() + flare.mean()).backward()
        torch.testing.assert_close(scene, net(picture)[0], atol=1e-4, rtol=1e-4)
