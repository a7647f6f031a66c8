"""Mixtures of flares, figures that choose a checkpoint, and networks that grow."""

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from semilar.data.mixture import Populations, Synth
from semilar.quality import psnr
from semilar.train.loop import score
from semilar.train.network import build_net
from semilar.train.recipe import PairsCheck, Stage, Validation
from semilar.train.validation import load_cases
from tests.train.tiny import NET, tiny_recipe


def test_a_picture_comes_from_each_preset_by_its_share() -> None:
    mixture = [Synth(preset="strong", share=3), Synth(preset="realistic", share=1)]
    populations = Populations(mixture)
    names = [populations.draw(seed).name for seed in range(2000)]
    assert names.count("strong") == pytest.approx(1500, abs=80)
    assert names.count("realistic") == 2000 - names.count("strong")
    assert names == [Populations(mixture).draw(seed).name for seed in range(2000)]


def test_one_preset_is_a_mixture_of_one() -> None:
    stage = Stage.model_validate({"steps": 1, "synth": {"preset": "strong"}})
    assert [synth.preset for synth in stage.synth] == ["strong"]
    assert Populations(stage.synth).draw(1).name == "strong"


def test_an_unknown_preset_is_an_error_before_anything_is_drawn() -> None:
    with pytest.raises(ValueError, match="wild: no such preset"):
        Synth(preset="wild")


def test_a_mixture_is_measured_preset_by_preset(tmp_path: Path) -> None:
    check = {
        "kind": "simulated",
        "count": 2,
        "size": 32,
        "side": 48,
        "synth": [{"preset": "strong"}, {}],
    }
    recipe = tiny_recipe(
        tmp_path,
        changes={
            "labeled": {"backgrounds": {"holdout": 0.5}},
            "validation": {"sets": {"sim": check}, "best": {"sim/strong.gain": 2.0}},
        },
    )
    cases = load_cases(recipe)
    assert list(cases) == recipe.validation.measured == ["sim/strong", "sim/realistic"]
    assert not np.array_equal(cases["sim/strong"][0].input, cases["sim/realistic"][0].input)


def test_the_best_checkpoint_weighs_several_figures() -> None:
    figures = {"strong": {"gain": 2.0, "psnr": 20.0}, "real": {"gain": -1.0, "psnr": 30.0}}
    assert score(figures, {}) == 2.0
    assert score(figures, {"real.psnr": 1.0}) == 30.0
    assert score(figures, {"strong.gain": 3.0, "real.gain": 1.0}) == pytest.approx(1.25)
    assert Validation.model_validate({"best": {}}).best == {}


def test_what_the_mask_hides_does_not_count(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pictures = {name: rng.integers(0, 255, (24, 32, 3), np.uint8) for name in ("input", "gt")}
    mask = np.zeros((24, 32, 3), np.uint8)
    mask[5:15, 8:20] = 255
    for name, pixels in {**pictures, "mask": mask}.items():
        (tmp_path / "pairs" / name).mkdir(parents=True)
        for stem in ("one", "two"):
            Image.fromarray(pixels).save(tmp_path / "pairs" / name / f"{stem}.png")
    listed = tmp_path / "half.txt"
    listed.write_text("two\n")
    check = PairsCheck(kind="pairs", folder=tmp_path / "pairs", names=listed, outside_mask=True)
    recipe = tiny_recipe(tmp_path, changes={"validation": {"sets": {"x": check.model_dump()}}})
    (case,) = load_cases(recipe)["x"]
    assert case.name == "two"
    inside = mask[..., 0] > 0
    spoiled = pictures["gt"].copy()
    spoiled[inside] ^= 0xFF
    assert case.quality(spoiled) == 50.0  # equal where it counts
    error = (pictures["input"].astype(float) - pictures["gt"])[~inside] ** 2
    assert case.quality(pictures["input"]) == pytest.approx(10 * np.log10(255**2 / error.mean()))
    assert case.quality(pictures["input"]) != pytest.approx(psnr(pictures["input"], pictures["gt"]))


def test_a_deeper_network_starts_as_the_one_it_grew_from(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    torch.manual_seed(0)
    small = build_net(tiny_recipe(tmp_path))
    for parameter in small.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    save_file(small.state_dict(), tmp_path / "small.safetensors")
    deeper = {**NET, "options": {**NET["options"], "depths": (2, 3, 2)}}
    changes = {"net": deeper, "init": str(tmp_path / "small.safetensors")}
    grown = build_net(tiny_recipe(tmp_path, changes=changes))
    picture = torch.rand(1, 3, 24, 40)
    for before, after in zip(small(picture), grown(picture), strict=True):
        torch.testing.assert_close(after, before)
    torch.stack([plane.square().sum() for plane in grown(picture)]).sum().backward()
    new = [value.grad for name, value in grown.named_parameters() if "encoder.0.1.body.3" in name]
    assert new
    assert all(gradient is not None and gradient.abs().sum() > 0 for gradient in new)
