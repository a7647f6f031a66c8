"""Pictures of a small scale: made once, of disjoint scenes, refused where they are others."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from semilar.data import find_pairs
from semilar.errors import SemilarError
from semilar.evaluate import find_sets
from semilar.experiment.scales import find_scale
from semilar.experiment.world import make_world
from semilar.quality import uses_colour_code

WORLD = find_scale("tiny").worlds["usual"]


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for i in range(12):
        pixels = np.full((60, 80, 3), 10 * i, np.uint8) + rng.integers(0, 5, (60, 80, 3), np.uint8)
        Image.fromarray(pixels).save(folder / f"p{i}.png")
    return folder


def test_tests_are_sets_of_their_own_and_photos_have_no_labels(tmp_path: Path) -> None:
    made = make_world(tmp_path / "world", WORLD, None)
    for folder in made.tests.values():
        (found,) = find_sets(folder)
        assert found.has_regions
        assert len(found.pictures()) == WORLD.tests_each
    assert made.labeled is not None
    assert made.photos is not None
    scenes = {path.read_bytes() for path in made.labeled.iterdir()}
    assert len(scenes) == WORLD.scenes["limited"] + WORLD.scenes["more"]
    assert len(list(made.photos.iterdir())) == WORLD.photos
    mask = np.asarray(Image.open(next((made.tests["flare7kpp"] / "mask").iterdir())))
    assert uses_colour_code(mask)


def test_another_edition_changes_the_test_pictures_alone(tmp_path: Path) -> None:
    def pictures(edition: int) -> dict[str, bytes]:
        world = WORLD.model_copy(update={"edition": edition})
        make_world(tmp_path / str(edition), world, None)
        files = sorted((tmp_path / str(edition)).rglob("*.png"))
        return {str(file.relative_to(tmp_path / str(edition))): file.read_bytes() for file in files}

    first, second = pictures(0), pictures(1)
    assert first.keys() == second.keys()
    for name, content in first.items():
        if "mask" not in name:  # two masks may be alike by chance
            assert name.startswith("tests") == (content != second[name])


def test_photographs_take_the_place_of_drawn_scenes(tmp_path: Path, photos: Path) -> None:
    made = make_world(tmp_path / "world", WORLD, photos)
    assert made.labeled is not None
    assert made.validation is not None
    levels = [
        round(float(np.asarray(Image.open(path)).mean()) / 10)
        for folder in (made.labeled, made.validation)
        for path in folder.iterdir()
    ]
    assert len(set(levels)) == len(levels)  # every part has photographs of its own
    with pytest.raises(SemilarError, match="made in another way"):
        make_world(tmp_path / "world", WORLD, None)


def test_too_few_photographs(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(SemilarError, match="holds 0 photographs"):
        make_world(tmp_path / "world", WORLD, tmp_path / "none")


def test_a_world_of_pairs_knows_the_scenes_behind_its_photos(tmp_path: Path) -> None:
    world = find_scale("tiny").worlds["lens-shift"]
    made = make_world(tmp_path / "world", world, None)
    assert made.pairs
    for folder, count in ((made.labeled, world.pairs), (made.validation, world.checks)):
        assert folder is not None
        assert len(find_pairs(folder).pairs) == count
    assert made.photos is not None
    assert made.truth is not None
    names = sorted(path.name for path in made.photos.iterdir())
    assert len(names) == world.photos
    assert names == sorted(path.name for path in made.truth.iterdir())
    added = [
        np.asarray(Image.open(made.photos / name)).astype(int)
        - np.asarray(Image.open(made.truth / name))
        for name in names
    ]
    assert max(float(one.mean()) for one in added) > 1  # flare adds light
    assert min(int(one.min()) for one in added) > -8
