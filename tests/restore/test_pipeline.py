"""The one way of a picture: any source, any sink, the same pixels."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from semilar.errors import OutputExistsError
from semilar.photo import Photo
from semilar.restore import Remover
from semilar.restore.compare import side_by_side
from semilar.restore.pipeline import Restored, ToFiles, from_file, pipe, with_remover
from tests.restore.oracle import Dimmer
from tests.support.pictures import smooth_picture

REMOVER = Remover(engine=Dimmer(0.6), threads=1)


def test_frames_go_from_any_source_to_any_sink() -> None:
    """What a video needs: a generator of photos and a function. One frame is held at a time."""
    events = []

    def frames():
        for number in range(3):
            events.append(f"read {number}")
            yield Photo(pixels=smooth_picture(40, 60 + number), name=str(number))

    def sink(restored: Restored) -> None:
        events.append(f"write {restored.before.name}")
        expected = REMOVER.remove(restored.before.pixels).image
        np.testing.assert_array_equal(restored.picture().pixels, expected)

    assert pipe(frames(), with_remover(REMOVER), sink) == 3
    assert events == [f"{word} {number}" for number in range(3) for word in ("read", "write")]


def test_every_step_is_told_and_can_end_the_work() -> None:
    photo = Photo(pixels=smooth_picture(40, 60))
    steps, written = [], []
    pipe([photo, photo], with_remover(REMOVER), written.append, after=steps.append)
    assert steps == ["read", "remove", "write"] * 2
    assert len(written) == 2

    def stop(step: str) -> None:
        if step == "remove":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        pipe([photo], with_remover(REMOVER), written.append, after=stop)
    assert len(written) == 2


def test_files_of_every_layer(tmp_path: Path) -> None:
    source = tmp_path / "street.png"
    Image.fromarray(smooth_picture(50, 70)).save(source)
    result = REMOVER.remove(source, strength=0.5)
    names = {layer: tmp_path / f"{layer}.png" for layer in ("scene", "flare", "compare")}
    restore = with_remover(REMOVER, strength=0.5)
    write = ToFiles(scene=names["scene"], flare=names["flare"], compare=names["compare"])
    assert pipe(from_file(source), restore, write) == 1
    before = np.asarray(Image.open(source))
    expected = {
        "scene": result.image.pixels,
        "flare": result.flare.pixels,
        "compare": side_by_side(Photo(pixels=before), result.image).pixels,
    }
    for layer, path in names.items():
        np.testing.assert_array_equal(np.asarray(Image.open(path)), expected[layer])
    with pytest.raises(OutputExistsError, match=r"scene.png: already exists"):
        pipe(from_file(source), restore, ToFiles(scene=names["scene"]))
