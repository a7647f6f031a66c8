"""The experiments as data: the paper's numbers, and rows that mean what they say."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from semilar.cli.main import app
from semilar.errors import SemilarError
from semilar.experiment.definition import Figure, Row, Table, experiments, find, rows_of
from semilar.experiment.jobs import TrainingJob, make_job
from semilar.experiment.scales import find_scale, row_values, scales
from semilar.experiment.systems import SYSTEMS, system_of
from semilar.experiment.world import StudyPictures
from semilar.net import REGISTRY
from semilar.recipes import find_recipe
from semilar.train.recipe_file import read_values
from tests.experiment.printed import COLUMNS, PRINTED

FIGURES = {
    *("fig:right_top", "fig:quality", "fig:ablation1", "fig:ablation2"),
    *("fig:add1", "fig:add2", "fig:add3"),
}


def tables() -> dict[str, Table]:
    return {name: one for name, one in experiments().items() if isinstance(one, Table)}


def test_every_table_of_the_paper_has_its_numbers() -> None:
    found = {
        name: {row.name: row.paper for row in table.rows}
        for name, table in tables().items()
        if table.source.startswith("tab:")
    }
    wanted = {
        name: {
            row: dict(zip(COLUMNS[name], values, strict=True)) if values else {}
            for row, values in rows.items()
        }
        for name, rows in PRINTED.items()
    }
    assert found == wanted


def test_every_figure_of_results_is_there() -> None:
    drawn = [one for one in experiments().values() if isinstance(one, Figure)]
    assert {one.source for one in drawn if ":" in one.source} == FIGURES
    assert all(rows_of(one) for one in drawn)


def test_the_list_has_every_name_in_full_however_narrow_it_is() -> None:
    listed = CliRunner().invoke(app, ["experiment", "list"], env={"COLUMNS": "70"})
    assert listed.exit_code == 0
    assert experiments().keys() <= set(listed.stdout.split())


@pytest.mark.parametrize("name", list(tables()))
def test_every_column_shows_the_papers_numbers(name: str) -> None:
    table = tables()[name]
    assert {key for row in table.rows for key in row.paper} <= set(table.columns)


@pytest.mark.parametrize("scale", list(scales()))
def test_every_row_is_a_valid_recipe_at_every_scale(scale: str, tmp_path) -> None:
    size = find_scale(scale)
    for table in tables().values():
        flares = {"usual": tmp_path, "other": tmp_path}
        if size.small:
            flares = dict(size.worlds[table.world].flares)
        pictures = StudyPictures(tmp_path, tmp_path, tmp_path, {}, flares, {})
        for row in table.rows:
            if not row.missing:
                job = make_job(row, size, pictures, seed=1, root=tmp_path)
                assert job.recipe.net.name in REGISTRY


def test_a_row_changes_the_small_recipe_as_it_changes_the_papers() -> None:
    desk, paper = find_scale("desk"), find_scale("paper")
    row = find("ablation-core").rows[2]
    assert isinstance(row, Row)
    assert row.recipe == "ablation/no-repository"
    small, full = row_values(row, desk), row_values(row, paper)
    assert small["semi"]["repository"]["strategy"] == "none"
    assert full["semi"]["repository"]["strategy"] == "none"
    assert small["stages"][0]["crop"] == 64
    assert full["stages"][0]["crop"] == 512
    base = read_values(find_recipe("experiment/desk"))
    assert small["semi"]["eta"] == base["semi"]["eta"] != full["semi"]["eta"]


def test_networks_take_their_desk_size() -> None:
    uformer = Row(name="x", recipe="ablation/uformer")
    assert row_values(uformer, find_scale("desk"))["net"]["name"] == "uformer-desk"
    assert row_values(uformer, find_scale("paper"))["net"]["name"] == "uformer"
    ours = Row(name="x")
    assert row_values(ours, find_scale("desk"))["net"]["name"] == "raliformer-t"


def test_zhou_composes_as_zhou_does() -> None:
    row = find("comparison").rows[1]
    assert isinstance(row, Row)
    for scale in scales().values():
        synth = row_values(row, scale)["stages"][0]["synth"]
        assert synth["changes"]["camera"]["mixing"] == [3, 7]


def test_rows_of_several_tables_are_one_job(tmp_path) -> None:
    size = find_scale("tiny")
    pictures = StudyPictures(
        tmp_path, tmp_path, tmp_path, {}, dict(size.worlds["usual"].flares), {}
    )

    def folder(table: str, row: str, seed: int = 1):
        chosen = tables()[table].row(row)
        return make_job(chosen, size, pictures, seed=seed, root=tmp_path).folder

    full = folder("ablation-core", "Full model")
    assert full == folder("ablation-repository", "Mom. + QG") == folder("comparison", "Ours")
    assert full != folder("ablation-core", "w/o DR")
    assert full != folder("ablation-core", "Full model", seed=2)
    assert folder("comparison", "Wu") != folder("comparison", "Zhou")


def test_labels_alone_are_the_trunk_of_the_other_rows(tmp_path) -> None:
    size = find_scale("desk")
    pictures = StudyPictures(
        tmp_path, tmp_path, tmp_path, {}, dict(size.worlds["usual"].flares), {}
    )
    jobs = {
        row.name: make_job(row, size, pictures, seed=1, root=tmp_path)
        for row in tables()["ablation-core"].rows
    }
    alone = jobs.pop("labels alone")
    assert alone.trunk() is None
    for job in jobs.values():
        trunk = job.trunk()
        assert trunk is not None
        assert trunk.folder == alone.folder


def test_systems_know_their_rows() -> None:
    rows = [row for row in tables()["systems"].rows if not row.missing]
    without = [row.name for row in rows if system_of(row.name) is None]
    assert without == ["Zhou et al."]  # Wu's network
    assert {system.row for system in SYSTEMS if system.row} <= {row.name for row in rows}


def test_wrong_names_are_told_with_the_right_ones() -> None:
    with pytest.raises(SemilarError, match="ablation-core"):
        find("ablation")
    with pytest.raises(SemilarError, match="desk, paper"):
        find_scale("large")
    with pytest.raises(SemilarError, match="Full model"):
        tables()["ablation-core"].row("full")


def shift_jobs(root: Path, seed: int = 1) -> dict[str, TrainingJob]:
    size = find_scale("tiny")
    flares = dict(size.worlds["lens-shift"].flares)
    pictures = StudyPictures(
        root / "labeled", root / "photos", root, {}, flares, {}, truth=root / "truth", pairs=True
    )
    return {
        row.name: make_job(row, size, pictures, seed=seed, root=root)
        for row in tables()["lens-shift"].rows
    }


def test_rows_of_a_lens_shift_go_on_from_one_start(tmp_path) -> None:
    jobs = shift_jobs(tmp_path)
    start = jobs["shared start"]
    assert start.start is None
    for job in jobs.values():
        if job is not start:
            assert job.start is not None
            assert job.start.folder == start.folder
            assert job.trunk() is None
    plain, long = jobs["supervised"], jobs["supervised, same compute"]
    assert plain.folder != start.folder  # the same recipe but for where it starts and how fast
    assert (long.recipe.stages[0].steps or 0) > 2 * (plain.recipe.stages[0].steps or 0)
    again = shift_jobs(tmp_path, seed=2)
    for name, job in jobs.items():
        assert again[name].folder.parent == job.folder.parent
        assert again[name].folder != job.folder


def test_rows_of_a_lens_shift_have_the_photos_they_say(tmp_path) -> None:
    for name, job in shift_jobs(tmp_path).items():
        semi = job.recipe.semi
        if semi is None:
            continue
        assert semi.photos is not None
        control, oracle = "labeled inputs" in name, name == "oracle"
        folder = tmp_path / "labeled" / "input" if control else tmp_path / "photos"
        assert semi.photos.folder == folder, name
        assert semi.truth == (tmp_path / "truth" if oracle else None), name
        assert job.truth == (None if control or oracle else tmp_path / "truth")
