"""Recipes: every file that is shipped is valid, and every mistake is named."""

import json
from pathlib import Path
from typing import get_args

import pytest
import yaml

from semilar import recipes
from semilar.errors import RecipeError, SemilarError
from semilar.flare import SynthSettings
from semilar.flare.mapping import to_mapping
from semilar.loss import vgg
from semilar.loss.vgg import VggLayer
from semilar.recipes import find_recipe, recipe_names
from semilar.train.recipe import Recipe, Simulated
from semilar.train.recipe_file import differences, dump_recipe, load_recipe
from semilar.train.start import train
from tests.train.tiny import tiny_recipe

RECIPES = recipes.FOLDER
SHIPPED = sorted(RECIPES.rglob("*.yaml"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "name: mine\nrun: runs/mine\nlabeled: {kind: simulated, backgrounds: {folder: x}}\n"
        "stages: [{steps: 5, crop: 64}]\n"
    )
    return path


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_shipped_recipes_are_valid_and_survive_a_dump(path: Path, tmp_path: Path) -> None:
    recipe = load_recipe(path)
    copy = tmp_path / "copy.yaml"
    copy.write_text(dump_recipe(recipe))
    assert load_recipe(copy) == recipe


def test_shipped_recipes_have_their_own_run_folders() -> None:
    runs = [load_recipe(path).run for path in SHIPPED]
    assert len(set(runs)) == len(runs)


def test_ablations_differ_from_the_paper_only_where_they_say() -> None:
    base = load_recipe(RECIPES / "paper.yaml").model_dump(mode="json")
    for path in sorted((RECIPES / "ablation").glob("*.yaml")):
        changed = {
            line.partition(":")[0]
            for line in differences(base, load_recipe(path).model_dump(mode="json"))
        }
        said = _leaves(_values(path))
        unsaid = [key for key in changed if not any(f"{key}.".startswith(f"{s}.") for s in said)]
        assert not unsaid, path.name
        assert changed > {"name", "run"}, path.name


def _values(path: Path) -> dict:
    values = yaml.safe_load(path.read_text())
    base = values.pop("base")
    return (
        values
        if base == "../paper.yaml"
        else {**_values(path.parent / base), **values}
        | {"semi": {**_values(path.parent / base).get("semi", {}), **values.get("semi", {})}}
    )


def _leaves(values: dict, where: str = "") -> list[str]:
    found = []
    for key, value in values.items():
        found += _leaves(value, f"{where}{key}.") if isinstance(value, dict) else [f"{where}{key}"]
    return found


def test_overrides_reach_every_depth(file: Path) -> None:
    recipe = load_recipe(
        file,
        [
            "optimizer.lr=1e-3",
            "stages.0.crop=32",
            "semi.photos.folder=p",
            "labeled.samples=7",
            "stages.0.synth.changes={flare_free: 0.5}",
            "run=/tmp/elsewhere",
        ],
    )
    assert recipe.optimizer.lr == 1e-3
    assert recipe.stages[0].crop == 32
    assert recipe.semi is not None
    assert recipe.semi.photos is not None
    assert isinstance(recipe.labeled, Simulated)
    assert recipe.labeled.samples == 7
    assert recipe.stages[0].synth[0].settings.flare_free == 0.5
    assert recipe.run == Path("/tmp/elsewhere")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "optimizer.lrr=1",
            r"mine.yaml: optimizer.lrr is not a known key; there are kind, lr, betas",
        ),
        ("stages.0.corp=1", r"stages.0.corp is not a known key; there are epochs, steps, crop"),
        (
            "semi.repository.stratgy=none",
            r"semi.repository.stratgy is not a known key; there are strat",
        ),
        (
            "validation.sets={simulated: {kind: pairs, folder: x, cuont: 3}}",
            r"cuont is not a known key; there are kind, folder, side, limit",
        ),
        ("labeled.sample=3", r"labeled.simulated.sample is not a known key; there are kind, backg"),
        ("optimizer.lr=fast", r"optimizer.lr: .*number.*not 'fast'"),
        ("optimizer.lr=-1", r"optimizer.lr: .*greater than 0"),
        ("semi.repository.strategy=best", r"strategy: .*'none', 'momentum' or 'momentum\+quality'"),
        ("stages.0.epochs=3", r"stages.0: give either epochs or steps"),
        ("stages.4.crop=3", r"4 is not a place in a list of 1"),
        ("loss.features.kind=none", r"loss: perceptual needs features"),
        ("semi.contrastive.layer=nonsense", r"contrastive.layer: .*'relu1_1'.*'relu3_3'.*nonsense"),
        (
            "semi.contrastive.layer=relu2_1",
            r"semi.contrastive.layer relu2_1 is none of .*relu1_2, relu2_2, relu3_3",
        ),
        ("loss.features.layers=[relu9_9]", r"loss.features.layers.0: .*'relu1_1'.*relu9_9"),
        ("loss.features.layers=[]", r"loss.features.layers: .*at least 1"),
        ("optimizer={kind: muon, weight_decay: 0.1}", r"optimizer: muon takes no weight_decay"),
        ("semi.teacher_sees=crop", r"semi.teacher_sees is not a known key"),
        ("validation.network=both", r"validation.network: .*'teacher' or 'student'"),
        ("validation.start_share=0.5", r"validation.start_share needs weights to start from"),
        ("validation.best=real.psnr", r"validation: best: real.psnr is none of"),
        ("name.first=x", r"name holds a single value"),
        ("crop", r"key=value"),
        ("labeled.kind=magic", r"labeled: .*'simulated'"),
        ("checkpoints_kept=1", r"checkpoints_kept: .*greater than or equal to 2"),
    ],
)
def test_mistakes_name_the_key_and_what_is_allowed(file: Path, change: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        load_recipe(file, [change])


def test_the_layers_of_a_recipe_are_those_of_vgg16() -> None:
    assert get_args(VggLayer) == vgg.LAYERS


def test_unlabeled_terms_alone_get_their_features(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`semi.perceptual` without `loss.perceptual` and contrast asks for VGG16, too."""
    monkeypatch.setenv("SEMILAR_HOME", str(tmp_path / "home"))
    changes = {
        "loss": {"perceptual": 0.0},
        "semi": {"perceptual": 0.5, "contrastive": {"weight": 0.0}},
    }
    with pytest.raises(SemilarError, match="weights fetch vgg16"):
        train(tiny_recipe(tmp_path, changes=changes))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ("{lens: {strength: hello}}", r"lens\.strength: .*two numbers.*not 'hello'"),
        ("{lens: {strength: [4, 1]}}", r"lens\.strength: .*\[low, high\], above 0, not \[4, 1\]"),
        ("{lens: {strength: 3}}", r"lens\.strength: .*two numbers"),
        ("{lens: {glow: {height: [0, 1]}}}", r"lens\.glow\.height: .*above 0"),
        ("{lens: 3}", r"lens: should be `name: value` lines, not 3"),
        ("{lens: {strenght: [1, 2]}}", r"lens\.strenght is not a known key; there are strength,"),
        ("{flare_free: 1.4}", r"flare_free: .*from 0 to 1, not 1\.4"),
        ("{flare_free: true}", r"flare_free: .*from 0 to 1, not True"),
        ("{lights: {count: [1.5, 2]}}", r"lights\.count: .*whole numbers"),
        ("{lights: {shapes: disc}}", r"lights\.shapes: should be a list, not 'disc'"),
        ("{lights: {shapes: [cube]}}", r"lights\.shapes\.0: .*'disc'.*'cube'"),
        ("{pattern: {flip: maybe}}", r"pattern\.flip: .*boolean.*not 'maybe'"),
    ],
)
@pytest.mark.parametrize("where", ["stages.0.synth", "validation.sets.held.synth"])
def test_wrong_changes_to_a_preset_are_errors_of_the_recipe(
    file: Path, where: str, changes: str, said: str
) -> None:
    sets = "validation.sets={held: {kind: simulated}}"
    with pytest.raises(RecipeError, match=rf"synth\.0\.changes\.{said}"):
        load_recipe(file, [sets, f"{where}.changes={changes}"])


def test_a_printed_recipe_has_every_number_and_keeps_them(file: Path) -> None:
    change = "stages.0.synth={preset: strong, changes: {lens: {strength: [1, 2]}}}"
    recipe = load_recipe(file, [change])
    (synth,) = yaml.safe_load(dump_recipe(recipe))["stages"][0]["synth"]
    wanted = json.loads(json.dumps(to_mapping(SynthSettings.preset("strong"))))
    wanted["lens"]["strength"] = [1, 2]
    assert synth == {"preset": "strong", "share": 1.0, "settings": wanted}
    # Numbers in a printed recipe go before those of the preset, changes before both.
    wanted["flare_free"], wanted["crop"] = 0.25, [0.4, 0.8]
    text = json.dumps({"preset": "strong", "settings": wanted, "changes": {"flare_free": 0.5}})
    (read,) = load_recipe(file, [f"stages.0.synth={text}"]).stages[0].synth
    assert read.settings.flare_free == 0.5
    assert read.settings.crop == (0.4, 0.8)
    assert read.settings.lens.strength == (1, 2)


def test_files_that_are_no_recipes(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"absent\.yaml: no such recipe"):
        load_recipe(tmp_path / "absent.yaml")
    for text, message in (
        ("{a: [", "not readable"),
        ("- 1", "key: value"),
        ("name: x", "labeled is missing"),
    ):
        path = tmp_path / "x.yaml"
        path.write_text(text)
        with pytest.raises(RecipeError, match=message):
            load_recipe(path)
    path.write_text("base: x.yaml\nname: x")
    with pytest.raises(RecipeError, match="its own base"):
        load_recipe(path)


def test_recipes_of_the_package_have_names() -> None:
    assert {"desk", "own-photos", "paper", "ablation/no-blur"} <= set(recipe_names())
    assert {find_recipe(name) for name in recipe_names()} == set(SHIPPED)
    assert load_recipe("ablation/no-blur") == load_recipe(RECIPES / "ablation" / "no-blur.yaml")


def test_a_wrong_name_lists_the_right_ones(tmp_path: Path) -> None:
    for wrong in ("dsek", "recipes/desk.yaml", tmp_path / "desk.yaml", tmp_path):
        with pytest.raises(RecipeError, match=r"no such recipe.* one of .*desk, .*own-photos") as e:
            load_recipe(wrong)
        assert str(e.value).startswith(str(wrong))


def test_a_path_goes_before_nothing_but_its_own_name(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "desk").mkdir()  # a folder of results, say
    assert load_recipe("desk").name == "desk"
    (tmp_path / "desk.yaml").write_text(file.read_text())
    assert load_recipe("desk.yaml").name == "mine"
    assert load_recipe("desk").name == "desk"


def test_a_base_may_be_a_recipe_of_the_package(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("base: desk\nname: mine\nrun: runs/mine\n")
    assert load_recipe(mine).stages == load_recipe("desk").stages
    mine.write_text("base: dsek\nname: mine\nrun: runs/mine\n")
    with pytest.raises(RecipeError, match=r"dsek: no such recipe.*desk"):
        load_recipe(mine)


def test_differences_name_keys(file: Path) -> None:
    one, two = load_recipe(file), load_recipe(file, ["optimizer.lr=0.5", "seed=4"])
    lines = differences(one.model_dump(mode="json"), two.model_dump(mode="json"))
    assert lines == ["seed: 2026 -> 4", "optimizer.lr: 0.0001 -> 0.5"]
    three = load_recipe(file, ["stages.0.synth.changes={lens: {strength: [1, 2]}}"])
    lines = differences(one.model_dump(mode="json"), three.model_dump(mode="json"))
    assert lines == ["stages.0.synth.0.settings.lens.strength: [0.7, 1.9] -> [1.0, 2.0]"]
    assert Recipe.model_validate(one.model_dump()) == one
