"""The recipes of the paper and of its authors' code, number by number."""

import pytest
import torch

from semilar.flare import SynthSettings
from semilar.net import build
from semilar.train.recipe import Patterns
from semilar.train.recipe_file import load_recipe

# Paper: section 4.1 and appendix B. Where it gives a symbol or a word only: the authors' code.
PAPER = {
    "seed": 2026,
    "init": None,
    "net.name": "raliformer",
    "net.options": {},
    "labeled.kind": "patterns",
    "labeled.samples": 8000,
    "stages.0.epochs": 40,
    "stages.0.steps": None,
    "stages.0.crop": 512,
    "stages.0.batch": 4,
    "stages.0.accumulate": 4,
    "stages.0.lr": 1,
    "stages.0.synth.0.preset": "protocol",
    "stages.0.synth.0.share": 1,
    "loss.pixel": 0.5,
    "loss.perceptual": 0.5,
    "loss.fft": 0.2,
    "loss.flare": 1,
    "loss.flared_gain": 0,
    "loss.pixel_form": "l1",
    "loss.features.kind": "vgg16",
    "loss.features.layers": ["relu1_2", "relu2_2", "relu3_3"],
    "loss.features.normalize": False,
    "loss.features.scale": 1,
    "optimizer.kind": "adam",
    "optimizer.lr": 1e-4,
    "optimizer.betas": [0.9, 0.99],
    "optimizer.weight_decay": 0,
    "optimizer.warmup": 2500,
    "optimizer.final": 0.1,
    "optimizer.clip": 0,
    "teacher_momentum": 0.999,
    "mixup.start_epoch": 10,
    "mixup.probability": 0.7,
    "mixup.alpha": 1,
    "semi.batch": 4,
    "semi.side": 512,
    "semi.flip": True,
    "semi.start_epoch": 10,
    "semi.eta": 0.06,
    "semi.eta_epochs": 20,
    "semi.pixel": 1,
    "semi.pixel_form": "l1",
    "semi.perceptual": 0,
    "semi.fft": 0,
    "semi.brightness.weight": 0,
    "semi.brightness.window": 16,
    "semi.brightness.power": 1.3,
    "semi.contrastive.weight": 0.01,
    "semi.contrastive.ramp_epochs": 0,
    "semi.contrastive.form": "pairwise",
    "semi.contrastive.layer": "relu3_3",
    "semi.contrastive.temperature": 0.1,
    "semi.contrastive.patches": 128,
    "semi.contrastive.negatives": 1,
    "semi.strong.jitter": 0.8,
    "semi.strong.brightness": 0.5,
    "semi.strong.contrast": 0.5,
    "semi.strong.saturation": 0.5,
    "semi.strong.hue": 0.02,
    "semi.strong.grey": 0.2,
    "semi.strong.blur": 0.5,
    "semi.strong.sigma": [0.1, 2.0],
    "semi.strong.noise": 0.01,
    "semi.swap.weight": 0.0,
    "semi.swap.gain": [0.8, 1.8],
    "semi.views": 1,
    "semi.lamps": False,
    "semi.truth": None,
    "semi.colour_on_target": False,
    "semi.repository.strategy": "momentum+quality",
    "semi.repository.scorer": "musiq",
    "semi.repository.epsilon": 0.05,
    "semi.repository.beta": 0.2,
    "semi.repository.delta": None,
    "semi.repository.black": 0.02,
    "semi.repository.fog": 0.2,
    "semi.repository.empty": 1e-3,
    "semi.repository.valid": 1e-3,
    "validation.network": "student",
    "validation.start_share": 0,
}
# Folders, and what does not change what is learned.
OURS = (
    *("name", "run", "labeled", "validation", "machine", "tensorboard", "log_every", "bad_steps"),
    *("checkpoint_every", "checkpoints_kept"),
)
FOLDERS = ("folder", "include", "exclude", "names", "holdout")


def test_the_paper_recipe_says_what_the_paper_says() -> None:
    """Field by field, so that no number changes unseen."""
    recipe = load_recipe("paper")
    assert recipe.stages[0].synth[0].settings == SynthSettings.preset("protocol")
    preset = {"stages": {0: {"synth": {0: {"settings"}}}}}
    found = dict(_flat(recipe.model_dump(mode="json", exclude=preset)))
    for key, value in PAPER.items():
        assert found.pop(key) == value, key
    photos = {f"semi.photos.{name}" for name in FOLDERS}
    unseen = [key for key in found if key.split(".")[0] not in OURS and key not in photos]
    assert not unseen, "numbers that this table does not have"


def _flat(values: dict, where: str = "") -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for key, value in values.items():
        name = f"{where}{key}"
        if isinstance(value, dict) and value:
            found += _flat(value, f"{name}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            found += _flat({str(i): one for i, one in enumerate(value)}, f"{name}.")
        else:
            found.append((name, value))
    return found


def test_the_authors_code_recipe_says_what_their_code_does() -> None:
    recipe = load_recipe("ablation/authors-code")
    found = dict(_flat(recipe.model_dump(mode="json")))
    wanted = {
        "net.options.rank_branch": "after",
        "net.options.cab": "conv",
        "net.options.drop_path": 0.25,
        "stages.0.accumulate": 4,
        "stages.0.synth.0.preset": "protocol",
        "stages.0.synth.0.settings.background.noise_law": "deviation",
        "stages.0.synth.0.settings.pattern.offset": [0, 0],
        "stages.0.synth.0.settings.pattern.brightness": [1, 1],
        "loss.pixel_form": "l1_l2",
        "loss.features.normalize": False,
        "optimizer.kind": "adamp",
        "optimizer.betas": [0.9, 0.999],
        "optimizer.weight_decay": 1e-4,
        "optimizer.warmup": 5 * 8000 // 4 // 4,
        "semi.pixel_form": "charbonnier",
        "semi.perceptual": 0.5,
        "semi.contrastive.form": "bank",
        "semi.contrastive.weight": 0.01 / 5,
        "semi.contrastive.ramp_epochs": 40 - 10,
        "semi.repository.delta": 0.02,
        "semi.repository.black": 0,
        "semi.repository.beta": 1,
    }
    assert {key: found[key] for key in wanted} == wanted
    with torch.device("meta"):
        build(recipe.net.name, **recipe.net.options)


def test_each_strong_augmentation_has_a_recipe_alone() -> None:
    """The rows of the paper's table: none, each alone, all."""
    rows = {}
    for name in ("no-strong-view", "jitter-only", "grey-only", "blur-only"):
        semi = load_recipe(f"ablation/{name}").semi
        assert semi is not None
        strong = semi.strong
        rows[name] = (strong.jitter, strong.grey, strong.blur, strong.noise)
    assert rows == {
        "no-strong-view": (0, 0, 0, 0),
        "jitter-only": (0.8, 0, 0, 0),
        "grey-only": (0, 0.2, 0, 0),
        "blur-only": (0, 0, 0.5, 0),
    }


@pytest.mark.parametrize(
    ("name", "labels", "unlabeled"),
    [
        ("uformer-supervised", 8000, False),
        ("uformer", 8000, True),
        ("uformer-full-supervised", 24000, False),
        ("uformer-full", 24000, True),
    ],
)
def test_uformer_has_the_rows_of_its_table(name: str, labels: int, unlabeled: bool) -> None:
    recipe = load_recipe(f"ablation/{name}")
    assert recipe.net.name == "uformer"
    assert isinstance(recipe.labeled, Patterns)
    assert recipe.labeled.samples == labels
    assert (recipe.semi is not None) == unlabeled
