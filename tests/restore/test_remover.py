"""Sessions: sizes, threads, models, errors."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import semilar
from semilar.errors import OutputExistsError, SemilarError
from semilar.restore import Remover
from tests.restore.oracle import Dimmer
from tests.support.models import dimming_model
from tests.support.pictures import smooth_picture


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dimming_model(tmp_path_factory.mktemp("model") / "dim.onnx")


SIZES = [(16, 16), (1, 1), (3, 200), (17, 31), (101, 2020), (2020, 101), (513, 767), (40, 800)]


@pytest.mark.parametrize("size", SIZES)
def test_any_size(model: Path, size: tuple[int, int]) -> None:
    picture = smooth_picture(*size)
    result = Remover(model=model, threads=1, working_size=64).remove(picture)
    assert result.image.shape == picture.shape
    assert result.image.mean() < picture.mean()
    height, width = result.working_size
    assert min(height, width) <= 64
    assert height * width <= 2**20


@pytest.mark.slow
@pytest.mark.parametrize("size", [(8000, 12_000), (1000, 20_000)])
def test_large_sizes(model: Path, size: tuple[int, int]) -> None:
    picture = np.full((*size, 3), 180, np.uint8)
    picture[: size[0] // 2] = 90
    result = Remover(model=model, working_size=256).remove(picture)
    assert result.image.shape == picture.shape
    dimmed = [int(result.image[row, size[1] // 2, 0]) for row in (10, size[0] - 10)]
    assert dimmed == pytest.approx([0.6 * 90, 0.6 * 180], abs=2)


def test_one_session_serves_many_threads(model: Path) -> None:
    remover = Remover(model=model, threads=1)
    pictures = [smooth_picture(60 + 7 * k, 80, seed=k) for k in range(6)]
    alone = [remover.remove(one).image for one in pictures]
    with ThreadPoolExecutor(6) as pool:
        for _ in range(3):
            together = list(pool.map(lambda one: remover.remove(one).image, pictures))
            for a, b in zip(alone, together, strict=True):
                np.testing.assert_array_equal(a, b)


def test_one_call_gives_back_what_it_was_given(model: Path, tmp_path: Path) -> None:
    picture = smooth_picture()
    array = semilar.remove(picture, model=model)
    np.testing.assert_array_equal(array, Remover(model=model).remove(picture).image)
    source = tmp_path / "street.png"
    Image.fromarray(picture).save(source)
    target = semilar.remove(source, model=model)
    assert target == tmp_path / "street.deflared.png"
    np.testing.assert_array_equal(np.asarray(Image.open(target)), array)
    with pytest.raises(OutputExistsError, match="already exists"):
        semilar.remove(source, model=model)
    named = semilar.remove(str(source), model=model, output=tmp_path / "other.png")
    assert named == str(tmp_path / "other.png")


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    for name, words in (
        ("no-such-model", "there are: semilar-t"),
        (tmp_path / "x.onnx", "no such file"),
        (tmp_path, "is not a model"),
    ):
        with pytest.raises(SemilarError, match=words):
            Remover(model=name)


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"model": "nobody"}, semilar.ModelError, "there are: semilar-t"),
        ({"engine": "abacus"}, semilar.ModelError, "there are onnx, torch, openvino"),
        ({"device": "moon"}, semilar.ModelError, "it has cpu"),
        ({"working_size": 8}, semilar.SettingError, "below 16"),
        ({"working_size": 0}, semilar.SettingError, "below 16"),
        ({"views": 9}, semilar.SettingError, "between 1 and 8"),
        ({"threads": 0}, semilar.SettingError, "1 or more"),
    ],
)
def test_wrong_names_list_the_right_ones(options: dict, kind: type, words: str) -> None:
    with pytest.raises(kind, match=words):
        Remover(**options)


def test_an_output_file_is_for_paths(model: Path, tmp_path: Path) -> None:
    with pytest.raises(semilar.SettingError, match="by its path"):
        semilar.remove(smooth_picture(), model=model, output=tmp_path / "x.png")


@pytest.mark.parametrize("strength", [-0.1, 2.1, float("nan")])
def test_a_strength_out_of_range(strength: float) -> None:
    with pytest.raises(SemilarError, match="between 0 and 2"):
        Remover(engine=Dimmer()).remove(smooth_picture(), strength=strength)


def test_a_network_that_breaks_is_an_error() -> None:
    class Broken:
        def run(self, image):
            return np.full_like(image, np.nan), image

    with pytest.raises(SemilarError, match="network"):
        Remover(engine=Broken()).remove(smooth_picture())


def test_asking_for_a_session_imports_no_engine() -> None:
    code = (
        "import sys, semilar; semilar.Remover; "
        "print(sorted({'onnxruntime', 'torch', 'openvino'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
