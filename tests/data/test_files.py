"""Photos and pairs on disk: matched by name, cached without changing answers, clear mistakes."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from semilar.data.augmentation import StrongAugmentation
from semilar.data.labeled import ReadyPairs, SimulatedPairs, flare_layer
from semilar.data.mixture import Synth
from semilar.data.pairs import find_pairs
from semilar.data.photos import DrawnScenes, PhotoCache, PhotoFolder, with_short_side
from semilar.data.unlabeled import UnlabeledPhotos, identify
from semilar.errors import SemilarError
from semilar.flare import SynthSettings
from semilar.flare.mapping import to_mapping
from semilar.flare.presets import PRESETS
from semilar.flare.scene import night_scene

SETTINGS = SynthSettings.preset("strong")


def save(path: Path, seed: int = 0, size: tuple[int, int] = (40, 60)) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 256, (*size, 3), np.uint8)
    Image.fromarray(pixels).save(path)
    return path


def test_pairs_are_matched_by_name_never_by_place(tmp_path: Path) -> None:
    for name in ("a", "b", "d"):
        save(tmp_path / "flare" / f"{name}.jpg")
    for name in ("b", "c", "d"):
        save(tmp_path / "clear" / f"{name}.png")
    found = find_pairs(tmp_path)
    assert [(p.name, p.input.name, p.target.name) for p in found.pairs] == [
        ("b", "b.jpg", "b.png"),
        ("d", "d.jpg", "d.png"),
    ]
    assert [path.name for path in found.unpaired] == ["a.jpg", "c.png"]


def test_published_names_pair_as_they_do_in_evaluate(tmp_path: Path) -> None:
    for role in ("input", "gt", "mask"):
        for number in ("000001", "000002"):
            save(tmp_path / role / f"{role}_{number}.png")
    (tmp_path / "gt" / "gt_000002.png").unlink()
    found = find_pairs(tmp_path)
    (pair,) = found.pairs
    assert (pair.name, pair.input.name, pair.target.name) == (
        "000001",
        "input_000001.png",
        "gt_000001.png",
    )
    assert pair.mask is not None
    assert pair.mask.name == "mask_000001.png"
    assert [path.name for path in found.unpaired] == ["input_000002.png"]


def test_the_authors_layout_brings_its_flare_layer(tmp_path: Path) -> None:
    for folder in ("input", "GT", "LA"):
        save(tmp_path / folder / "1.png", seed=len(folder))
    pair = find_pairs(tmp_path).pairs[0]
    assert pair.flare is not None
    made = ReadyPairs([pair]).make(0, seed=1, crop=32, settings=SETTINGS)
    layer = np.asarray(Image.open(tmp_path / "LA" / "1.png"), np.float32) / 255
    windows = np.lib.stride_tricks.sliding_window_view(layer, (32, 32), axis=(0, 1))
    seen = made.flare.transpose(2, 0, 1)
    same = [
        np.abs(windows - turned).max((2, 3, 4)).min() < 1e-6 for turned in (seen, seen[..., ::-1])
    ]
    assert any(same), "the layer is cut and mirrored like the picture"


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ((), "no such folder"),
        (("flare/a.png",), "without flare"),
        (("gt/a.png",), "flared photos"),
        (("input/a.png", "gt/b.png"), "same name"),
    ],
)
def test_wrong_folders_are_errors(tmp_path: Path, made: tuple[str, ...], message: str) -> None:
    root = tmp_path / "pairs"
    for name in made:
        save(root / name)
    with pytest.raises(SemilarError, match=message):
        find_pairs(root)


def test_partners_of_different_size_are_an_error(tmp_path: Path) -> None:
    save(tmp_path / "input" / "a.png")
    save(tmp_path / "gt" / "a.png", size=(40, 50))
    pairs = ReadyPairs(find_pairs(tmp_path).pairs)
    with pytest.raises(SemilarError, match=r"60 x 40.*50 x 40"):
        pairs.make(0, seed=0, crop=16, settings=SETTINGS)


def test_pairs_are_cut_alike_and_repeatably(tmp_path: Path) -> None:
    save(tmp_path / "input" / "a.png", seed=1)
    save(tmp_path / "gt" / "a.png", seed=1)
    pairs = ReadyPairs(find_pairs(tmp_path).pairs)
    one, two = (pairs.make(0, seed=s, crop=24, settings=SETTINGS) for s in (1, 2))
    np.testing.assert_array_equal(one.input, one.target)
    assert not np.array_equal(one.input, two.input)
    np.testing.assert_array_equal(one.flare, 0)
    again = ReadyPairs(find_pairs(tmp_path).pairs, megabytes=0)
    np.testing.assert_array_equal(
        again.make(0, seed=1, crop=24, settings=SETTINGS).input, one.input
    )
    larger = pairs.make(0, seed=1, crop=64, settings=SETTINGS)
    assert larger.input.shape == (64, 64, 3)


def test_the_flare_layer_is_the_difference_of_light() -> None:
    flared, clean = (
        np.array([[[0.6, 0.6, 0.1]]], np.float32),
        np.array([[[0.5, 0.6, 0.2]]], np.float32),
    )

    def light(v: float) -> float:
        return ((v + 0.055) / 1.055) ** 2.4

    wanted = 1.055 * (light(0.6) - light(0.5)) ** (1 / 2.4) - 0.055
    np.testing.assert_allclose(flare_layer(flared, clean)[0, 0], [wanted, 0, 0], atol=1e-5)


def test_simulated_pairs_depend_on_the_seed_alone(tmp_path: Path) -> None:
    Image.fromarray(night_scene(1, (64, 96))).save(tmp_path / "a.png")
    source = SimulatedPairs(PhotoCache([tmp_path / "a.png"], side=64), samples=5)
    first = source.make(3, seed=9, crop=32, settings=SETTINGS)
    fresh = SimulatedPairs(PhotoCache([tmp_path / "a.png"], side=64), samples=5)
    np.testing.assert_array_equal(
        fresh.make(3, seed=9, crop=32, settings=SETTINGS).input, first.input
    )
    other = source.make(3, seed=10, crop=32, settings=SETTINGS)
    assert not np.array_equal(other.input, first.input)
    assert first.input.mean() > first.target.mean(), "flare adds light"
    assert source.make(0, seed=1, crop=80, settings=SETTINGS).input.shape == (80, 80, 3)


def test_drawn_scenes_for_validation_are_others_than_for_training() -> None:
    training, kept = DrawnScenes(side=48), DrawnScenes(side=48, held_out=True)
    pictures = {training(i).tobytes() for i in range(len(training))}
    assert len(pictures) == len(training)
    assert not pictures & {kept(i).tobytes() for i in range(len(kept))}
    assert min(training(0).shape[:2]) == 48


def test_settings_change_by_name() -> None:
    changes = {"lens": {"strength": [1, 2]}, "flare_free": 0.5}
    changed = Synth(preset="strong", changes=changes).settings
    assert changed.lens.strength == (1, 2)
    assert changed.flare_free == 0.5
    assert changed.lens.glow == SETTINGS.lens.glow


def test_every_preset_passes_its_own_check() -> None:
    for name in PRESETS:
        whole = to_mapping(SynthSettings.preset(name))
        assert Synth(preset=name, changes=whole).settings == SynthSettings.preset(name)


def test_the_student_is_given_the_strong_view_of_its_window(tmp_path: Path) -> None:
    paths = [save(tmp_path / "a.png", size=(40, 60))]
    grey = StrongAugmentation(jitter=0, grey=1, blur=0, noise=0)
    photos = UnlabeledPhotos(paths, identify(paths, tmp_path), side=40, flip=True, strong=grey)
    for seed in range(6):
        sample = photos.make(0, seed=seed, crop=24)
        weak = sample.window.take(sample.frame)
        luma = 0.299 * weak[0] + 0.587 * weak[1] + 0.114 * weak[2]
        for channel in sample.strong:
            np.testing.assert_allclose(channel.numpy(), luma.numpy(), atol=1e-5)


def test_the_cache_never_changes_the_answer(tmp_path: Path) -> None:
    paths = [save(tmp_path / f"{i}.png", seed=i, size=(700, 800)) for i in range(3)]
    small, large = PhotoCache(paths, side=512, megabytes=1), PhotoCache(paths, side=512)
    for i in (0, 1, 2, 0, 1, 2):
        np.testing.assert_array_equal(small(i), large(i))
        assert min(small(i).shape[:2]) == 512


def test_sides() -> None:
    tall = np.zeros((300, 100, 3), np.uint8)
    assert with_short_side(tall, 50).shape == (150, 50, 3)


def test_folders_hold_files_out_by_name(tmp_path: Path) -> None:
    for i in range(40):
        save(tmp_path / f"p{i}.png", size=(16, 16))
    folder = PhotoFolder(folder=tmp_path, holdout=0.3)
    training, held = folder.find(), folder.find(held_out=True)
    assert sorted([*training, *held]) == sorted(tmp_path.iterdir())
    assert 4 <= len(held) <= 20
    (tmp_path / "p0.png").unlink()
    assert [p for p in held if p.name != "p0.png"] == folder.find(held_out=True)
    listed = tmp_path / "names.txt"
    listed.write_text("p3.png\np17.png\n")
    assert [p.name for p in PhotoFolder(folder=tmp_path, names=listed).find()] == [
        "p17.png",
        "p3.png",
    ]
    chosen = PhotoFolder(folder=tmp_path, include=("p1*",), exclude=("p11.png",)).find()
    assert {p.name for p in chosen} == {"p1.png", *(f"p1{i}.png" for i in range(10) if i != 1)}
    with pytest.raises(SemilarError, match="no photographs"):
        PhotoFolder(folder=tmp_path, include=("*.nef",)).find()
    with pytest.raises(SemilarError, match="no such folder"):
        PhotoFolder(folder=tmp_path / "absent").find()


def test_photos_are_known_by_path_and_content(tmp_path: Path) -> None:
    first, second = save(tmp_path / "x" / "a.png", seed=1), save(tmp_path / "b.png", seed=2)
    before = identify([first, second], tmp_path)
    assert [who.path for who in before] == ["x/a.png", "b.png"]
    assert identify([second], tmp_path)[0].key == before[1].key
    save(second, seed=3)
    assert identify([second], tmp_path)[0].key != before[1].key


def test_unlabeled_views_are_repeatable_and_inside_the_frame(tmp_path: Path) -> None:
    paths = [save(tmp_path / "a.jpg", seed=1, size=(50, 90))]
    photos = UnlabeledPhotos(
        paths, identify(paths, tmp_path), side=40, flip=True, strong=StrongAugmentation()
    )
    one, two = photos.make(0, seed=4, crop=24), photos.make(0, seed=4, crop=24)
    assert one.frame.shape == (3, 40, 72), "the aspect is kept"
    assert one.strong.shape == (3, 24, 24)
    assert one.window == two.window
    np.testing.assert_array_equal(one.strong.numpy(), two.strong.numpy())
    assert photos.make(0, seed=5, crop=24).window != one.window
