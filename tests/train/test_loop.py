"""The loop when things go wrong or end early, and what a run leaves behind."""

import errno
import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file

from semilar.errors import SemilarError
from semilar.net import build
from semilar.quality import psnr
from semilar.quality.scorers.none import NoScorer
from semilar.train.checkpoint import load_newest, saved_steps
from semilar.train.display import Silent, Speed
from semilar.train.logbook import Logbook, read_log
from semilar.train.recipe import Pairs
from semilar.train.validation import Case, ScoredPhoto, load_cases, measure
from semilar.weights.card import ModelCard, verify
from tests.train.test_resume import run as train_here
from tests.train.test_resume import run_until_killed
from tests.train.tiny import tiny_recipe, write_scenes

PLAIN = {"semi": None, "mixup": {"probability": 0.0}, "loss": {"perceptual": 0.0}}


class SignalAfter(Silent):
    """Sends this process a signal in the middle of a run."""

    def __init__(self, number: signal.Signals) -> None:
        self.number = number

    def show(self, step: int, figures: dict[str, Any]) -> None:
        if step == 3:
            os.kill(os.getpid(), self.number)


@pytest.mark.posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_checkpoint_and_end_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    recipe = tiny_recipe(tmp_path, changes=PLAIN)
    ending = train_here(recipe, display=SignalAfter(number))
    assert ending.step == 3
    assert ending.reason is not None
    assert saved_steps(recipe.run / "checkpoints") == [3]
    assert signal.getsignal(number) == before


def test_a_run_describes_itself_and_keeps_the_best(tmp_path: Path) -> None:
    held = write_scenes(tmp_path / "held", 3, first=40)
    sets = {
        "held": {
            "kind": "simulated",
            "backgrounds": {"folder": str(held)},
            "count": 4,
            "size": 32,
            "side": 48,
            "synth": {"preset": "strong"},
        }
    }
    changes = {**PLAIN, "validation": {"every": 5, "sets": sets}, "checkpoint_every": 4}
    recipe = tiny_recipe(tmp_path, changes=changes)
    ending = train_here(recipe)
    folder = recipe.run
    assert saved_steps(folder / "checkpoints") == [8, 12]
    about = json.loads((folder / "run.json").read_text())
    assert about["starts"][0]["torch"] == torch.__version__
    data = json.loads((folder / "data.json").read_text())
    assert len(data["backgrounds"]) == 5
    validations = [line for line in read_log(folder / "log.jsonl") if line["kind"] == "validation"]
    assert [line["step"] for line in validations] == [5, 10, 12]
    best = max(validations, key=lambda line: line["held"]["gain"])
    assert (ending.best, ending.best_step) == (best["held"]["gain"], best["step"])
    verify(folder / "best.safetensors")
    card = ModelCard.read(folder / "best.safetensors")
    assert card.training == ({"recipe": "tiny", "steps": best["step"], "network": "teacher"},)
    measured = card.figures["pictures of held (validation)"]
    assert measured["metrics"]["psnr"]["gain"]["value"] == best["held"]["gain"]
    assert card.net is not None
    net = build(card.net.name, **card.net.options)
    net.load_state_dict(load_file(folder / "best.safetensors"))
    sheets = sorted((folder / "samples").glob("*.png"))
    assert [s.stem for s in sheets] == ["step-00000005", "step-00000010", "step-00000012"]
    assert Image.open(sheets[0]).size[0] == 4 * 32


@pytest.mark.parametrize("chosen", ["teacher", "student"])
def test_the_chosen_network_is_measured_and_both_are_kept(tmp_path: Path, chosen: str) -> None:
    held = write_scenes(tmp_path / "held", 2, first=40)
    check = {"kind": "simulated", "backgrounds": {"folder": str(held)}, "count": 3, "size": 32}
    sets = {"held": {**check, "side": 48, "synth": {"preset": "strong"}}}
    changes = {**PLAIN, "validation": {"every": 100, "network": chosen, "sets": sets}}
    recipe = tiny_recipe(tmp_path, changes=changes)
    train_here(recipe)
    saved, _ = load_newest(recipe.run / "checkpoints")
    parts = {"student": saved.student, "teacher": saved.teacher}
    for name, wanted in parts.items():
        file = recipe.run / f"last-{name}.safetensors"
        tensors, run = load_file(file), ModelCard.read(file).training[-1]
        assert (run["network"], run["steps"]) == (name, 12)
        assert all(torch.equal(tensors[key], value) for key, value in wanted.items())
    best = load_file(recipe.run / "best.safetensors")
    assert ModelCard.read(recipe.run / "best.safetensors").training[-1]["network"] == chosen
    assert all(torch.equal(best[key], value) for key, value in parts[chosen].items())
    net = build(recipe.net.name, **recipe.net.options)
    net.load_state_dict(best)
    report = measure(net, load_cases(recipe)["held"], device=torch.device("cpu"), worse_by=0.3)
    assert saved.values["validation"]["held"]["psnr"] == pytest.approx(report.psnr, abs=1e-4)
    other = build(recipe.net.name, **recipe.net.options)
    other.load_state_dict(parts["student" if chosen == "teacher" else "teacher"])
    apart = measure(other, load_cases(recipe)["held"], device=torch.device("cpu"), worse_by=0.3)
    assert abs(apart.psnr - report.psnr) > 1e-3, "the two can be told apart"


def test_a_run_that_is_stopped_keeps_both_networks_too(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path, changes=PLAIN)
    assert train_here(recipe, max_minutes=0).reason is not None
    assert {p.name for p in recipe.run.glob("last-*")} == {
        "last-student.safetensors",
        "last-teacher.safetensors",
    }


def test_training_lowers_the_loss(tmp_path: Path) -> None:
    """Four veiled pictures, seen over and over: the loss falls at least fourfold."""
    folder = tmp_path / "pairs"
    (folder / "input").mkdir(parents=True)
    for path in sorted(write_scenes(folder / "gt", 4, size=(32, 32)).iterdir()):
        veiled = np.asarray(Image.open(path)) // 2 + 90
        Image.fromarray(veiled).save(folder / "input" / path.name)
    changes = {**PLAIN, "stages": [{"steps": 40, "crop": 32, "batch": 4}]}
    recipe = tiny_recipe(tmp_path, changes=changes).model_copy(
        update={"labeled": Pairs(kind="pairs", folder=folder)}
    )
    train_here(recipe)
    losses = [line["loss"] for line in read_log(recipe.run / "log.jsonl")]
    assert losses[-1] < losses[0] / 4


def test_a_loss_that_is_not_finite_is_skipped_counted_and_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from semilar.train import loop

    calls = []

    def poisoned(net, batch, *_, share):
        calls.append(1)
        scene, _ = net(batch.input)
        spoil = torch.nan if len(calls) > 4 else 1.0  # the third step and all after it
        return {"pixel": spoil * (scene - batch.target).abs().mean()}

    monkeypatch.setattr(loop, "labeled_terms", poisoned)
    changes = {**PLAIN, "checkpoint_every": 1, "bad_steps": 3}
    recipe = tiny_recipe(tmp_path, changes=changes)
    with pytest.raises(SemilarError, match="not finite in 3 steps in a row"):
        train_here(recipe)
    saved, _ = load_newest(recipe.run / "checkpoints")
    assert saved.values["skipped"] == 2, "two bad steps were skipped before the third ended the run"
    assert saved.values["teacher_updates"] == saved.step - 2
    for part in (saved.student, saved.teacher):
        assert all(torch.isfinite(value).all() for value in part.values())


def test_a_full_disk_costs_only_the_work_since_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, written = Path.write_bytes, []

    def full_disk(path: Path, content: bytes) -> int:
        if path.name.startswith(".step-"):
            written.append(path)
            if len(written) == 2:
                real(path, content[: len(content) // 2])
                raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, content)

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    recipe = tiny_recipe(tmp_path, changes={**PLAIN, "checkpoint_every": 2})
    with pytest.raises(SemilarError, match=r"step-00000004.*No space left"):
        train_here(recipe)
    assert saved_steps(recipe.run / "checkpoints") == [2]
    assert len(list((recipe.run / "checkpoints").iterdir())) == 1, "no half files are left"
    assert train_here(recipe, resume=True).step == 12


@pytest.mark.posix
def test_a_changed_recipe_is_told(tmp_path: Path) -> None:
    said: list[str] = []

    class Listening(Silent):
        def say(self, text: str) -> None:
            said.append(text)

    run_until_killed(tiny_recipe(tmp_path, changes={**PLAIN, "checkpoint_every": 2}), 3)
    changes = {**PLAIN, "optimizer": {"lr": 1e-3}, "name": "long " * 1000}
    train_here(tiny_recipe(tmp_path, changes=changes), resume=True, display=Listening())
    assert "changed since the last start: optimizer.lr: 0.002 -> 0.001" in said
    assert max(map(len, said)) < 300, "a stage that goes has thousands of numbers"


@pytest.mark.posix
def test_another_network_does_not_fit(tmp_path: Path) -> None:
    run_until_killed(tiny_recipe(tmp_path, changes={**PLAIN, "checkpoint_every": 2}), 3)
    other = {**PLAIN, "net": {"options": {"widths": (8, 16)}}}
    with pytest.raises(SemilarError, match="does not fit the recipe's network"):
        train_here(tiny_recipe(tmp_path, changes=other), resume=True)


def test_photos_fewer_than_a_batch_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(SemilarError, match=r"holds 6 photos.*semi\.batch=6"):
        train_here(tiny_recipe(tmp_path, changes={"semi": {"batch": 8}}))
    with pytest.raises(SemilarError, match=r"make it at least 32"):
        train_here(tiny_recipe(tmp_path, "other", changes={"semi": {"side": 16}}))


@pytest.mark.parametrize("workers", [0, 1])
def test_a_broken_photo_is_an_error_with_its_name(tmp_path: Path, workers: int) -> None:
    recipe = tiny_recipe(tmp_path, changes={**PLAIN, "machine": {"workers": workers}})
    (tmp_path / "backgrounds" / "scene-03.jpg").write_bytes(b"no picture")
    with pytest.raises(SemilarError, match=r"scene-03\.jpg") as caught:
        train_here(recipe)
    assert "Traceback" not in str(caught.value)


def test_validation_compares_with_the_untouched_input() -> None:
    rng = np.random.default_rng(0)
    target = rng.integers(40, 200, (24, 24, 3), np.uint8)
    cases = [Case(f"c{k}", (target + k).astype(np.uint8), target) for k in (4, 20, 0)]
    shift = torch.nn.Module()
    shift.forward = lambda x: (x - 4 / 255, x)  # type: ignore[method-assign]
    report = measure(shift, cases, device=torch.device("cpu"), worse_by=0.3)
    before = [psnr(case.input, target) for case in cases[:2]] + [50.0]
    after = [50.0, psnr(target + 16, target), psnr(target - 4, target)]
    assert report.input_psnr == pytest.approx(np.mean(before))
    assert report.psnr == pytest.approx(np.mean(after), abs=1e-6)
    assert report.worse == 1
    assert report.worst[0][0] == "c0"


def test_the_log_drops_what_came_after_the_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = Logbook(path)
    for step in range(1, 6):
        log.write("train", step, {"loss": step / 2}, seconds=0.1)
    log.close()
    with path.open("a") as file:
        file.write('{"kind": "train", "st')  # torn by a kill
    Logbook(path, step=3).close()
    assert [line["step"] for line in read_log(path)] == [1, 2, 3]


def test_speed_leaves_pauses_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("semilar.train.display.time.monotonic", lambda: clock[0])
    speed = Speed()
    for _ in range(5):
        clock[0] += 1
        speed.add(10)
    with speed.paused():
        clock[0] += 100
    clock[0] += 1
    speed.add(10)
    assert speed.per_second == pytest.approx(10)


@pytest.mark.parametrize(("after", "best_step"), [(2.5, 12), (1.5, 0)])
def test_a_run_may_have_to_beat_what_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: float, best_step: int
) -> None:
    """Photos whose truth nobody has; the scores before and after are 1 and 2 to begin with."""
    held = write_scenes(tmp_path / "held", 3, first=40)
    check = {"kind": "photos", "photos": {"folder": str(held)}, "side": 32, "scorer": "none"}
    changes = {"validation": {"every": 100, "sets": {"held": check}, "beat_start": True}}
    recipe = tiny_recipe(tmp_path, changes={**PLAIN, **changes})
    scores = iter([1.0, 2.0] * 3 + [1.0, after] * 3)
    monkeypatch.setattr(NoScorer, "__call__", lambda self, batch: torch.tensor([next(scores)]))
    ending = train_here(recipe)
    log = read_log(recipe.run / "log.jsonl")
    gains = {line["step"]: line["held"]["gain"] for line in log if line["kind"] == "validation"}
    assert gains == {0: 1.0, 12: after - 1}
    assert (ending.began, ending.best, ending.best_step) == (1.0, max(1.0, after - 1), best_step)
    assert (recipe.run / "best.safetensors").exists() == (best_step > 0)


def test_what_is_measured_and_kept_may_be_nearer_to_the_start(tmp_path: Path) -> None:
    train_here(tiny_recipe(tmp_path, "begun", changes=PLAIN))
    start = tmp_path / "begun" / "last-teacher.safetensors"
    held = write_scenes(tmp_path / "held", 3, first=40)
    check = {"kind": "simulated", "backgrounds": {"folder": str(held)}, "count": 3, "size": 32}
    changes = {
        "seed": 5,
        "init": str(start),
        "optimizer": {"lr": 0.01},
        "validation": {"every": 100, "sets": {"held": check}, "start_share": 0.25},
    }
    train_here(tiny_recipe(tmp_path, changes={**PLAIN, **changes}))
    run = tmp_path / "run"
    began, became, best = (
        load_file(path)
        for path in (start, run / "last-teacher.safetensors", run / "best.safetensors")
    )
    assert max(float((became[name] - began[name]).abs().max()) for name in began) > 1e-3
    for name, value in best.items():
        torch.testing.assert_close(value, 0.25 * began[name] + 0.75 * became[name])
    told = [
        ModelCard.read(run / f"{name}.safetensors").training[-1].get("start_share")
        for name in ("best", "last-teacher")
    ]
    assert told == [0.25, None]


def test_a_photo_whose_truth_nobody_has_is_scored_beside_itself():
    photo = np.full((8, 8, 3), 100, np.uint8)

    class Beside(NoScorer):
        def beside(self, batch: torch.Tensor, photos: torch.Tensor) -> torch.Tensor:
            return (batch - photos).mean((1, 2, 3))

    case = ScoredPhoto("a", photo, Beside())
    assert case.quality(photo) == 0
    assert case.quality(photo + 51) == pytest.approx(0.2)
