"""Which photos become which files."""

import errno
import os
from pathlib import Path

import pytest

from semilar.errors import PhotoError, SemilarError, SettingError
from semilar.photo import find_photos
from semilar.restore.jobs import STREAM, Job, plan_jobs


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
    todo = plan_jobs([str(folder / "a.jpg"), str(folder / "b.PNG")])
    assert _pairs(todo, folder) == {"a.jpg": "in/a.deflared.jpg", "b.PNG": "in/b.deflared.PNG"}


def test_a_folder_keeps_its_structure_and_passes_results(folder: Path) -> None:
    todo = plan_jobs([str(folder)], folder.parent / "out")
    assert _pairs(todo, folder) == {
        "a.jpg": "out/a.jpg",
        "b.PNG": "out/b.PNG",
        "deep/a.jpg": "out/deep/a.jpg",
        "deep/er/c.webp": "out/deep/er/c.webp",
    }


def test_globs_are_expanded_here_too(folder: Path) -> None:
    todo = plan_jobs([str(folder / "**" / "*.jpg")], folder.parent / "out")
    assert _pairs(todo, folder) == {"a.jpg": "out/a.jpg", "deep/a.jpg": "out/a-2.jpg"}
    assert todo.complaints == []


def test_equal_names_are_numbered_in_the_order_given(folder: Path) -> None:
    out = folder.parent / "out"
    for name in ("a-2.jpg", "x.tif", "x.nef"):
        (folder / name).touch()
    deep = str(folder / "deep" / "a.jpg")
    given = [deep, str(folder / "a.jpg"), str(folder / "a-2.jpg"), f"{folder}/../in/deep/a.jpg"]
    todo = plan_jobs(given[:3], out, flare=folder.parent / "flare")
    assert [job.target.name for job in todo.jobs] == ["a.jpg", "a-2.jpg", "a-2-2.jpg"]
    assert [job.flare and job.flare.name for job in todo.jobs] == ["a.jpg", "a-2.jpg", "a-2-2.jpg"]
    beside = plan_jobs([str(folder / "x.tif"), str(folder / "x.nef")])
    assert [job.target.name for job in beside.jobs] == ["x.deflared.tif", "x-2.deflared.tif"]


@pytest.mark.parametrize("role", ["output", "flare", "compare"])
def test_several_photos_to_one_file_are_refused(folder: Path, role: str) -> None:
    both = [str(folder / "a.jpg"), str(folder / "b.PNG")]
    for inputs in (both, [str(folder / "deep" / "er")]):  # a folder, though it holds one photo
        with pytest.raises(SettingError, match=r"one\.jpg: names a file; several photos"):
            plan_jobs(inputs, **{role: folder.parent / "one.jpg"})
    with pytest.raises(SettingError, match="standard output takes one photo"):
        plan_jobs(both, Path("-"))


def test_two_results_in_one_file_are_refused(folder: Path) -> None:
    one, other = str(folder / "a.jpg"), str(folder / "b.PNG")
    same = folder.parent / "same.jpg"
    for options in (
        {"output": same, "compare": folder.parent / "in" / ".." / "same.jpg"},
        {"output": same, "flare": same},
        {"flare": same, "compare": same},
        {"compare": folder / "a.deflared.jpg"},
    ):
        with pytest.raises(SettingError, match=r"\.jpg: is to hold two results"):
            plan_jobs([one], **options)
    with pytest.raises(SettingError, match="two results"):
        plan_jobs([one, other], folder.parent / "out", compare=folder.parent / "out")
    with pytest.raises(SettingError, match=r"a\.jpg: is one of the photos"):
        plan_jobs([one], same, flare=folder / "a.jpg")
    with pytest.raises(PhotoError, match=r"cannot write \.xyz files; known are \.jpg"):
        plan_jobs([one], same, compare=folder / "a.xyz")


def test_a_name_without_a_format_gets_the_one_of_the_content(tmp_path: Path) -> None:
    heads = {"plain": b"\xff\xd8\xff", "IMG.2024": b"\x89PNG\r\n\x1a\n", "no": b"x"}
    for name, head in heads.items():
        (tmp_path / name).write_bytes(head + bytes(64))
    given = [str(tmp_path / name) for name in heads]
    assert [job.target.name for job in plan_jobs(given).jobs] == [
        "plain.deflared.jpg",
        "IMG.2024.deflared.png",
        "no.deflared",
    ]
    inside = plan_jobs(given, tmp_path / "out").jobs
    assert [job.target.name for job in inside] == ["plain.jpg", "IMG.2024.png", "no"]


def test_standard_input_and_output(folder: Path, tmp_path: Path) -> None:
    assert plan_jobs(["-"]).jobs == [Job(STREAM, STREAM)]
    assert plan_jobs(["-"], tmp_path / "x.jpg").jobs == [Job(STREAM, tmp_path / "x.jpg")]
    only = folder / "a.jpg"
    to_stream = plan_jobs([str(only)], STREAM, flare=tmp_path / "f.png").jobs[0]
    assert to_stream == Job(only, STREAM, tmp_path / "f.png")
    assert to_stream.targets == [tmp_path / "f.png"]
    with pytest.raises(SettingError, match="goes alone"):
        plan_jobs(["-", str(only)])
    with pytest.raises(SettingError, match="standard input needs a file's name"):
        plan_jobs(["-"], tmp_path)


def test_an_unreadable_folder_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true_scandir = os.scandir
    closed = folder / "deep"

    def scandir(path):
        if Path(path) == closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return true_scandir(path)

    monkeypatch.setattr(os, "scandir", scandir)
    todo = plan_jobs([str(folder)])
    assert todo.complaints == [f"{closed}: cannot be read (Permission denied)."]
    assert [job.source.name for job in todo.jobs] == ["a.jpg", "b.PNG"]
    assert plan_jobs([str(closed)]).complaints == todo.complaints  # and not "there are no photos"
    with pytest.raises(PhotoError, match=r"deep: cannot be read \(Permission denied\)"):
        find_photos(folder)


def test_one_file_to_a_file_or_into_a_folder(folder: Path) -> None:
    only = str(folder / "a.jpg")
    assert plan_jobs([only], folder.parent / "x.png").jobs[0].target == folder.parent / "x.png"
    assert plan_jobs([only], folder.parent / "new").jobs[0].target == folder.parent / "new/a.jpg"
    assert plan_jobs([only], folder / "deep").jobs[0].target == folder / "deep/a.jpg"


def test_flare_and_comparison_go_the_same_way(folder: Path) -> None:
    both = [str(folder / "a.jpg"), str(folder / "b.PNG")]
    todo = plan_jobs(both, flare=folder.parent / "flare", compare=folder.parent / "compare")
    assert [job.flare for job in todo.jobs] == [
        folder.parent / "flare/a.jpg",
        folder.parent / "flare/b.PNG",
    ]
    assert todo.jobs[1].compare == folder.parent / "compare/b.PNG"
    single = plan_jobs(both[:1], flare=folder.parent / "flare.png").jobs[0]
    assert single.flare == folder.parent / "flare.png"


def test_camera_files_become_tiff(tmp_path: Path) -> None:
    assert plan_jobs([str(tmp_path / "x.nef")]).jobs[0].target == tmp_path / "x.deflared.tif"


def test_nothing_there(tmp_path: Path, folder: Path) -> None:
    assert plan_jobs([str(tmp_path / "*.jpg")]).complaints == [
        f"{tmp_path}/*.jpg: there are no photos."
    ]
    (tmp_path / "empty").mkdir()
    assert plan_jobs([str(tmp_path / "empty")]).jobs == []
    missing = plan_jobs([str(tmp_path / "gone.jpg")])  # complained about when it is read
    assert [job.source.name for job in missing.jobs] == ["gone.jpg"]
    with pytest.raises(SemilarError, match="names a file; several photos need a folder"):
        plan_jobs([str(folder)], folder / "a.jpg")


def test_the_same_photo_twice_is_done_once(folder: Path) -> None:
    here = os.path.relpath(folder / "a.jpg")
    assert len(plan_jobs([str(folder / "a.jpg"), str(folder / "a.jpg"), here]).jobs) == 1
