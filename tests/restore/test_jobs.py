"""Which photos become which files."""

from pathlib import Path

import pytest

from semilar.errors import SemilarError
from semilar.restore.jobs import plan


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.jpg", "b.PNG", "deep/er/c.webp", "deep/a.jpg", "notes.txt", ".hidden/d.jpg"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "in" / "a.deflared.jpg").touch()
    return tmp_path / "in"


def _pairs(todo, folder: Path) -> dict[str, str]:
    base = folder.parent
    return {
        str(job.source.relative_to(folder)): str(job.target.relative_to(base)) for job in todo.jobs
    }


def test_beside_the_original(folder: Path) -> None:
    todo = plan([str(folder / "a.jpg"), str(folder / "b.PNG")])
    assert _pairs(todo, folder) == {"a.jpg": "in/a.deflared.jpg", "b.PNG": "in/b.deflared.PNG"}


def test_a_folder_keeps_its_structure_and_passes_results(folder: Path) -> None:
    todo = plan([str(folder)], folder.parent / "out")
    assert _pairs(todo, folder) == {
        "a.jpg": "out/a.jpg",
        "b.PNG": "out/b.PNG",
        "deep/a.jpg": "out/deep/a.jpg",
        "deep/er/c.webp": "out/deep/er/c.webp",
    }


def test_globs_are_expanded_here_too(folder: Path) -> None:
    todo = plan([str(folder / "**" / "*.jpg")], folder.parent / "out")
    assert _pairs(todo, folder) == {"a.jpg": "out/a.jpg"}
    assert len(todo.complaints) == 1  # deep/a.jpg would become the same file
    assert "another photo becomes" in todo.complaints[0]


def test_one_file_to_a_file_or_into_a_folder(folder: Path) -> None:
    only = str(folder / "a.jpg")
    assert plan([only], folder.parent / "x.png").jobs[0].target == folder.parent / "x.png"
    assert plan([only], folder.parent / "new").jobs[0].target == folder.parent / "new/a.jpg"
    assert plan([only], folder / "deep").jobs[0].target == folder / "deep/a.jpg"


def test_flare_and_comparison_go_the_same_way(folder: Path) -> None:
    both = [str(folder / "a.jpg"), str(folder / "b.PNG")]
    todo = plan(both, flare=folder.parent / "flare", compare=folder.parent / "compare")
    assert [job.flare for job in todo.jobs] == [
        folder.parent / "flare/a.jpg",
        folder.parent / "flare/b.PNG",
    ]
    assert todo.jobs[1].compare == folder.parent / "compare/b.PNG"
    single = plan(both[:1], flare=folder.parent / "flare.png").jobs[0]
    assert single.flare == folder.parent / "flare.png"


def test_camera_files_become_tiff(tmp_path: Path) -> None:
    assert plan([str(tmp_path / "x.nef")]).jobs[0].target == tmp_path / "x.deflared.tif"


def test_nothing_there(tmp_path: Path, folder: Path) -> None:
    assert plan([str(tmp_path / "*.jpg")]).complaints == [f"{tmp_path}/*.jpg: there are no photos."]
    (tmp_path / "empty").mkdir()
    assert plan([str(tmp_path / "empty")]).jobs == []
    missing = plan([str(tmp_path / "gone.jpg")])  # complained about when it is read
    assert [job.source.name for job in missing.jobs] == ["gone.jpg"]
    with pytest.raises(SemilarError, match="is a file; several photos need a folder"):
        plan([str(folder)], folder / "a.jpg")


def test_the_same_photo_twice_is_done_once(folder: Path) -> None:
    assert len(plan([str(folder / "a.jpg"), str(folder / "a.jpg")]).jobs) == 1
