"""Rows at the tiny scale: run, killed, taken up again, failing alone, and what the table says."""

import json
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from filelock import FileLock
from safetensors.torch import load_file
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.data import with_short_side
from semilar.errors import SemilarError
from semilar.experiment import runs
from semilar.experiment.definition import experiments
from semilar.experiment.jobs import TrainingJob
from semilar.experiment.study import Study
from semilar.photo import read
from semilar.quality import psnr, ssim
from semilar.semi import MergedRepository, to_picture
from tests.support.forks import fork_server

NAME = "ablation-core"
COMMAND = ["experiment", "run", NAME, "--scale", "tiny", "--seeds", "1"]


def invoke(*arguments: str | Path):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def jobs_of(root: Path, name: str = NAME) -> dict[str, TrainingJob]:
    tasks = Study(root, "tiny", seeds=1).tasks(name)
    return {task.row.name: task.job for task in tasks if isinstance(task.job, TrainingJob)}


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment that was killed in its first row and then run to its end."""
    root = tmp_path_factory.mktemp("study")
    log = jobs_of(root)["labels alone"].recipe.run / "log.jsonl"
    process = fork_server().Process(target=invoke, args=(*COMMAND, "--runs", root))
    process.start()
    while not log.exists() or log.read_text().count("\n") < 5:
        assert process.is_alive()
        time.sleep(0.005)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert not list(root.glob("runs/*/*/trained.json"))
    done = invoke(*COMMAND, "--runs", root)
    assert done.exit_code == 0, done.output
    return root


@pytest.mark.posix
def test_a_killed_run_goes_on_and_the_table_is_complete(killed: Path) -> None:
    jobs = jobs_of(killed)
    assert json.loads(jobs["labels alone"].trained.read_text())["resumed"]
    steps = [json.loads(x)["step"] for x in (jobs["labels alone"].recipe.run / "log.jsonl").open()]
    assert steps == sorted(steps)
    assert steps[-1] == 12
    shown = invoke("experiment", "table", NAME, "--scale", "tiny", "--seeds", "1", "--runs", killed)
    assert shown.exit_code == 0, shown.output
    lines = {x.split("|")[1].strip(): x for x in shown.stdout.splitlines() if x.startswith("| ")}
    table = experiments()[NAME]
    for row in table.rows:
        assert not isinstance(row, str)
        assert " [" in lines[row.name], row.name
    assert "paper +1.079" in lines["Full model"]  # 27.620 - 26.541
    assert "*" not in shown.stdout.partition("Against")[0]


@pytest.mark.posix
def test_numbers_are_those_of_the_pictures_that_were_kept(killed: Path) -> None:
    job = jobs_of(killed)["labels alone"]
    found = json.loads(job.result.read_text())["tests"]["flare7kpp"]
    folder = Path(found["folder"])
    for name, row, before in zip(
        found["pictures"], found["result"], found["untouched"], strict=True
    ):
        truth = read(folder / "gt" / f"{name}.png").pixels
        restored = read(job.folder / "restored" / "flare7kpp" / f"{name}.png").pixels
        assert row["psnr"] == pytest.approx(psnr(restored, truth))
        assert row["ssim"] == pytest.approx(ssim(restored, truth))
        assert before["psnr"] == pytest.approx(
            psnr(read(folder / "input" / f"{name}.png").pixels, truth)
        )


@pytest.mark.posix
def test_what_is_done_is_not_done_again(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(runs, "train", never)
    again = invoke(*COMMAND, "--runs", killed)
    assert again.exit_code == 0
    assert "done before" in again.stderr
    assert "done now" not in again.stderr


@pytest.mark.posix
def test_a_shared_beginning_changes_nothing(killed: Path) -> None:
    """The row that went on from labels alone has the weights of one that started from nothing."""
    grown = jobs_of(killed)["w/o Lcr"]
    run = grown.recipe.run.with_name("from-nothing")
    alone = replace(
        grown,
        folder=grown.folder.with_name("from-nothing"),
        recipe=grown.recipe.model_copy(update={"run": run}),
        shared=False,
    )
    assert grown.trunk() is not None
    assert alone.trunk() is None
    runs.train_job(alone)
    first, second = load_file(grown.weights), load_file(alone.weights)
    for name, value in first.items():
        np.testing.assert_array_equal(value.numpy(), second[name].numpy(), err_msg=name)


@pytest.mark.posix
def test_figures_are_drawn(killed: Path, tmp_path: Path) -> None:
    target = tmp_path / "results.md"
    for name, shown in (("figure-core", "png"), ("learning-curves", "svg")):
        options = ["--scale", "tiny", "--seeds", "1", "--runs", killed, "--out", target]
        done = invoke("experiment", "table", name, *options)
        assert done.exit_code == 0, done.output
        for suffix in ("svg", "png"):
            drawn = tmp_path / "images" / "results" / f"{name}-tiny.{suffix}"
            assert drawn.stat().st_size > 1000
        assert f"(images/results/{name}-tiny.{shown})" in target.read_text()


def test_a_page_is_written_experiment_by_experiment(tmp_path: Path) -> None:
    """Nothing has been run: the sections stand with their reason, and others are left alone."""
    target, options = tmp_path / "page.md", ["--scale", "tiny", "--runs", tmp_path / "runs"]

    def write(name: str) -> str:
        done = invoke("experiment", "table", name, *options, "--out", target)
        assert done.exit_code == 0, done.output
        return target.read_text()

    first = write("ablation-repository")
    assert first.count("*not run*") == 3
    assert write("flarereal600").startswith(first.partition("<!--")[0])  # its place is before
    edited = target.read_text().replace("*not run*<br>paper 26.746", "26.5 [26.4, 26.6]")
    target.write_text(edited)
    assert write("flarereal600") == edited
    assert "26.5 [26.4, 26.6]" not in write("ablation-repository")
    assert target.read_text().index("FlareReal600") < target.read_text().index("Mom. + QG")
    target.write_text("something else\n")
    assert write("ablation-repository") == first


def test_a_row_that_fails_stands_in_the_table_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = runs.train

    def failing(recipe: Any, **options: Any) -> Any:
        if recipe.semi is not None and recipe.semi.repository.strategy == "none":
            raise SemilarError("the lamp went out")
        return train(recipe, **options)

    monkeypatch.setattr(runs, "train", failing)
    done = invoke(*COMMAND, "--runs", tmp_path)
    assert done.exit_code == 1
    assert "the lamp went out" in done.stderr
    options = ["--scale", "tiny", "--seeds", "1", "--runs", tmp_path]
    shown = invoke("experiment", "table", NAME, *options).stdout
    assert "*failed: the lamp went out*<br>paper 26.541" in shown
    assert "| labels alone | 1 |" in shown
    monkeypatch.setattr(runs, "train", train)
    assert invoke(*COMMAND, "--runs", tmp_path).exit_code == 0
    assert "lamp" not in invoke("experiment", "table", NAME, *options).stdout


def test_a_row_that_another_process_runs_is_left_to_it(tmp_path: Path) -> None:
    job = jobs_of(tmp_path)["labels alone"]
    job.folder.mkdir(parents=True)
    with FileLock(job.folder / ".lock"):
        assert runs.run_job(job, {}).state == "busy"


def test_one_row_alone_and_wrong_rows(tmp_path: Path) -> None:
    found = Study(tmp_path, "tiny", seeds=2).tasks("comparison", only="Uformer")
    assert [(task.row.name, task.seed) for task in found] == [("Uformer", 1), ("Uformer", 2)]
    done = invoke(*COMMAND, "--runs", tmp_path, "--only", "full")
    assert done.exit_code == 2
    assert "Full model" in done.stderr


def test_the_papers_scale_says_which_data_it_needs(tmp_path: Path) -> None:
    options = ["--scale", "paper", "--runs", tmp_path]
    done = invoke("experiment", "run", "flarex", *options)
    assert done.exit_code == 1
    assert "needs photographs and flare patterns" in done.stderr
    assert "--backgrounds" in done.stderr
    shown = invoke("experiment", "table", "flarex", *options)
    assert shown.exit_code == 0
    assert shown.stdout.count("needs photographs and flare patterns") == 4
    assert "takes the depth that a trained DPT sees" in shown.stdout


def test_a_budget_decides_the_steps_once(tmp_path: Path) -> None:
    from semilar.experiment.budget import within_budget

    (task,) = Study(tmp_path, "tiny", seeds=1).tasks("comparison", only="U-Net")
    assert isinstance(task.job, TrainingJob)
    first = within_budget(task.job).stages[0].steps
    assert first is not None
    assert json.loads((task.job.folder / "budget.json").read_text())["steps"] == first
    (task.job.folder / "budget.json").write_text('{"steps": 7}')
    assert within_budget(task.job).stages[0].steps == 7


@pytest.fixture(scope="module")
def shifted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three rows of the lens shift: the start, one that goes on from it, and one with photos."""
    root = tmp_path_factory.mktemp("shift")
    options = ["--scale", "tiny", "--seeds", "1", "--runs", root]
    for row in ("ours", "supervised, same compute"):
        done = invoke("experiment", "run", "lens-shift", *options, "--only", row)
        assert done.exit_code == 0, done.output
    return root


def test_a_row_starts_from_the_weights_of_another(shifted: Path) -> None:
    job = jobs_of(shifted, "lens-shift")["ours"]
    assert job.start is not None
    assert job.start.trained.is_file()
    origin = yaml.safe_load((job.recipe.run / "recipe.yaml").read_text())["init"]
    assert Path(origin) == job.start.weights
    assert not job.start.result.is_file()  # nobody asked for its row


def test_labels_are_judged_against_the_truth(shifted: Path) -> None:
    job = jobs_of(shifted, "lens-shift")["ours"]
    found = json.loads(job.result.read_text())["labels"]
    assert job.truth is not None
    merged = MergedRepository(job.recipe.run / "repository")
    assert job.recipe.semi is not None
    side = job.recipe.semi.side
    values = [
        psnr(
            np.asarray(to_picture(entry.label)),
            with_short_side(read(job.truth / entry.path).pixels, side),
        )
        for entry in merged.entries()
        if entry.label is not None
    ]
    assert found["psnr"] == pytest.approx(np.mean(values))
    assert found["coverage"] == len(values) / 4
    assert found["visits"] == len(merged.events()) / 4


def test_the_table_tells_what_rows_cost(shifted: Path) -> None:
    options = ["--scale", "tiny", "--seeds", "1", "--runs", shifted]
    shown = invoke("experiment", "table", "lens-shift", *options).stdout
    costs = shown.partition("CPU s")[2]
    assert "| supervised, same compute | 48 |" in costs
    assert "| ours | 12 |" in costs
